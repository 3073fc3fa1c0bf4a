"""What the instructions of a candidate's library are, by a disassembly of objdump's: x86-64 in AT&T's syntax."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kernelmesh_worker.text import clean

_FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
_TARGET = re.compile(r"^([0-9a-f]+)\b")
_PREFIXES = ("lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "cs", "ds")
_PACKED = re.compile(r"^(?!v?mov)\w+p[sdh]$|^v?p(?!op|ush|refetch|ause)[a-z]+\w*$")
_SCALAR = re.compile(r"^(?!v?mov|v?p|cmps[bwdq]$)\w+s[sdh]$|^f(add|sub|mul|div|sqrt)")
_FMA = re.compile(r"^v?fn?m(add|sub)")
_DIVISION = re.compile(r"^v?(div|sqrt)[ps][sdh]$|^i?div[lqwb]?$")
_GATHER = re.compile(r"gather|scatter")
_READS_ONLY = re.compile(r"^(cmp|test|v?u?comis|bt|push|call|jmp|v?ptest|prefetch)")
_NO_ACCESS = ("lea", "nop", "endbr", "prefetch")
_OF_COMPILERS = ("_init", "_fini", "_start", "__do_global_dtors_aux", "register_tm_clones", "deregister_tm_clones",
                 "frame_dummy")  # fmt: skip
_MOST_FUNCTIONS = 8


@dataclass(frozen=True)
class Instruction:
    address: int
    name: str
    operands: str

    @property
    def jumps_to(self) -> int | None:
        """Of a jump to a fixed place."""
        found = _TARGET.match(self.operands) if self.name.startswith("j") else None
        return int(found[1], 16) if found else None


@dataclass
class Function:
    name: str
    instructions: list[Instruction] = field(default_factory=list)

    def loops(self) -> list[tuple[int, int]]:
        """Innermost ones, from the first address to that of the jump back."""
        first = self.instructions[0].address if self.instructions else 0
        all_ = [
            (x.jumps_to, x.address)
            for x in self.instructions
            if x.jumps_to is not None and first <= x.jumps_to <= x.address
        ]
        return [x for x in all_ if not any(y != x and x[0] <= y[0] and y[1] <= x[1] for y in all_)]

    def in_loops(self, computing: bool = False) -> list[Instruction]:
        """Of innermost ones; with `computing` of those that do more than to count and to move."""
        bodies = ([x for x in self.instructions if a <= x.address <= b] for a, b in self.loops())
        kept = [body for body in bodies if not computing or any(_computes(x) for x in body)]
        return sorted({x for body in kept for x in body}, key=lambda x: x.address)


def parse(text: str) -> list[Function]:
    """Functions in their order, as `objdump -d --no-show-raw-insn` has them; other lines mean nothing."""
    functions: list[Function] = []
    for line in text.splitlines():
        if found := _FUNCTION.match(line):
            functions.append(Function(found[1]))
        elif functions and (found := _INSTRUCTION.match(line)):
            functions[-1].instructions.append(_instruction(int(found[1], 16), found[2], found[3]))
    return [x for x in functions if x.name not in _OF_COMPILERS and not x.name.endswith("@plt")]


def _instruction(address: int, name: str, operands: str) -> Instruction:
    while name in _PREFIXES and operands:
        name, _, operands = operands.partition(" ")
    return Instruction(address, name, re.split("[#<]", operands)[0].strip())


def kernels_of(text: str) -> list[dict[str, Any]]:
    """Records kernel_figures: of the functions' innermost loops that compute, where there are none of all innermost
    loops, where there are no loops of whole functions."""
    functions, shares = parse(text), []
    for part in (lambda x: x.in_loops(computing=True), Function.in_loops, lambda x: x.instructions):
        shares = [(x.name, found) for x in functions if (found := part(x))]
        if shares:
            break
    largest = sorted(shares, key=lambda x: len(x[1]), reverse=True)[:_MOST_FUNCTIONS]
    return [{"name": clean(name, 200), "launches": 1, "metrics": mix_of(inside)} for name, inside in largest]


def mix_of(instructions: Iterable[Instruction]) -> dict[str, float]:
    count: Counter[str] = Counter(instructions=0, vector=0, scalar_float=0)
    for x in instructions:
        count["instructions"] += 1
        count.update(_kinds_of(x))
    return {name: float(value) for name, value in count.items()}


def _computes(x: Instruction) -> bool:
    return bool(_SCALAR.match(x.name) or _PACKED.match(x.name))


def _kinds_of(x: Instruction) -> list[str]:
    kinds = _accesses_of(x)
    if _SCALAR.match(x.name):
        kinds.append("scalar_float")
    elif _PACKED.match(x.name):
        kinds.append("vector")
    if x.name.startswith(("j", "call", "ret", "loop")):
        kinds.append("branches")
    for kind, pattern in (("fma", _FMA), ("divisions", _DIVISION), ("gathers", _GATHER)):
        if pattern.search(x.name):
            kinds.append(kind)
    return kinds


def _accesses_of(x: Instruction) -> list[str]:
    if "(" not in x.operands or x.name.startswith(_NO_ACCESS):
        return []
    if not _ends_in_memory(x.operands) or _READS_ONLY.match(x.name):
        return ["loads"]
    return ["stores"]


def _ends_in_memory(operands: str) -> bool:
    """Is the last operand, which is written, in memory? Masks of AVX-512 stand behind it."""
    return operands.partition("{")[0].rstrip().endswith(")")
