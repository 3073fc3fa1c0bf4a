"""What NVIDIA's architectures have, for compilers that never see the device."""

from __future__ import annotations

import re

ARCH = re.compile(r"sm_(?P<capability>\d{2,3})[af]?")

# Shared memory that a block may opt in to, by compute capability: CUDA C++ Programming Guide, technical specifications.
SHARED_BYTES_A_BLOCK = {
    75: 64 << 10,
    80: 163 << 10,
    86: 99 << 10,
    87: 163 << 10,
    89: 99 << 10,
    90: 227 << 10,
    100: 227 << 10,
    103: 227 << 10,
    110: 227 << 10,
    120: 99 << 10,
    121: 99 << 10,
}


def capability_of(arch: str) -> int:
    """90 of "sm_90a"; ValueError in words for anything else."""
    found = ARCH.fullmatch(arch)
    if not found:
        raise ValueError(f"{arch!r} is no architecture; sm_90a is one")
    capability = int(found["capability"])
    if capability not in SHARED_BYTES_A_BLOCK:
        known = ", ".join(f"sm_{x}" for x in SHARED_BYTES_A_BLOCK)
        raise ValueError(f"{arch} is no architecture that kernels are built for: {known}")
    return capability
