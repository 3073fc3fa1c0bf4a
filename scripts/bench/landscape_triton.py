"""Records landscapes of Triton kernels on the GPU of this machine: python landscape_triton.py FOLDER [NAME...].

All combinations of the knobs below are built side by side, then timed in three rounds; the least median counts.
The form of the files: tests/data/landscapes/README.md.
"""

# ruff: noqa: ANN001, ANN201, N803
# Triton reads the annotations of its kernels; their other arguments have no Python type.
import itertools
import json
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from triton.testing import do_bench


@triton.jit
def gemm(a, b, c, M, N, K, tile_m: tl.constexpr, tile_n: tl.constexpr, tile_k: tl.constexpr):
    rows = (tl.program_id(0) * tile_m + tl.arange(0, tile_m))[:, None]
    columns = (tl.program_id(1) * tile_n + tl.arange(0, tile_n))[None, :]
    k = tl.arange(0, tile_k)
    total = tl.zeros((tile_m, tile_n), tl.float32)
    for start in range(0, K, tile_k):
        x = tl.load(a + rows * K + start + k[None, :])
        y = tl.load(b + (start + k)[:, None] * N + columns)
        total = tl.dot(x, y, total)
    tl.store(c + rows * N + columns, total.to(tl.float16))


@triton.jit
def softmax(x, y, M, N, rows: tl.constexpr, block: tl.constexpr, stages: tl.constexpr):
    at = (tl.program_id(0) * rows + tl.arange(0, rows))[:, None] * N + tl.arange(0, block)[None, :]
    most = tl.full((rows,), float("-inf"), tl.float32)
    total = tl.zeros((rows,), tl.float32)
    for start in tl.range(0, N, block, num_stages=stages):
        v = tl.load(x + at + start)
        now = tl.maximum(most, tl.max(v, 1))
        total = total * tl.exp(most - now) + tl.sum(tl.exp(v - now[:, None]), 1)
        most = now
    for start in tl.range(0, N, block, num_stages=stages):
        tl.store(y + at + start, tl.exp(tl.load(x + at + start) - most[:, None]) / total[:, None])


class Subject(NamedTuple):
    """A kernel over tensors of `sizes`, and the values of its knobs; "stages" and "warps" may be Triton's own."""

    what: str
    kernel: Any
    sizes: tuple[int, ...]
    knobs: dict[str, list[int]]


TILES = {"tile_m": [32, 64, 128, 256], "tile_n": [32, 64, 128, 256], "tile_k": [32, 64, 128]}
SUBJECTS = {
    "gemm": Subject(
        "C = A B in fp16 with fp32 sums, 2048 x 2048 by 2048 x 4096",
        gemm,
        (2048, 4096, 2048),
        TILES | {"stages": [2, 3, 4], "warps": [4, 8]},
    ),
    "gemm_skinny": Subject(
        "C = A B in fp16 with fp32 sums, 256 x 4096 by 4096 x 8192",
        gemm,
        (256, 8192, 4096),
        TILES | {"stages": [2, 4], "warps": [2, 4, 8]},
    ),
    "softmax": Subject(
        "softmax over rows, fp32, 8192 rows of 8192",
        softmax,
        (8192, 8192),
        {"rows": [1, 2, 4], "block": [512, 1024, 2048, 4096], "stages": [1, 2, 3, 4], "warps": [2, 4, 8, 16]},
    ),
}
Job = tuple[str, tuple[int, ...]]


def launch_options(job: Job) -> tuple[tuple[int, ...], dict[str, int]]:
    """Grid, and keyword arguments of the launch."""
    subject = SUBJECTS[job[0]]
    knobs = dict(zip(subject.knobs, job[1], strict=True))
    options = {"num_warps": knobs.pop("warps")} | knobs
    if subject.kernel is softmax:
        return (subject.sizes[0] // knobs["rows"],), options
    options["num_stages"] = options.pop("stages")
    return (subject.sizes[0] // knobs["tile_m"], subject.sizes[1] // knobs["tile_n"]), options


def dtypes(name: str) -> list[torch.dtype]:
    return [torch.float32] * 2 if SUBJECTS[name].kernel is softmax else [torch.float16] * 3


def build(job: Job) -> None:
    subject = SUBJECTS[job[0]]
    grid, options = launch_options(job)
    subject.kernel.warmup(*dtypes(job[0]), *subject.sizes, grid=grid, **options)


def median_ms(job: Job, tensors: list[torch.Tensor]) -> float:
    """0: it can't run."""
    subject = SUBJECTS[job[0]]
    grid, options = launch_options(job)
    kernel = subject.kernel[grid]
    try:
        return do_bench(lambda: kernel(*tensors, *subject.sizes, **options), 2, 12, return_mode="median")
    except triton.runtime.errors.OutOfResources:
        return 0


def record(name: str, jobs: list[Job], folder: Path) -> None:
    largest = max(a * b for a, b in itertools.combinations(SUBJECTS[name].sizes, 2))
    tensors = [torch.randn(largest, device="cuda", dtype=x) for x in dtypes(name)]
    rounds = [[median_ms(job, tensors) for job in jobs] for _ in range(3)]
    ms = [min(times) for times in zip(*rounds, strict=True)]
    machine = f"{torch.cuda.get_device_name()}, Triton {triton.__version__}"
    knobs = ",\n".join(f"    {json.dumps({'name': k, 'values': v})}" for k, v in SUBJECTS[name].knobs.items())
    lines = ['  "version": 1', f'  "what": {json.dumps(SUBJECTS[name].what)}', f'  "machine": {json.dumps(machine)}']
    lines += [f'  "knobs": [\n{knobs}\n  ]', f'  "ms": [{",".join(format(x, ".5g") for x in ms)}]']
    (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    folder, names = Path(sys.argv[1]), sys.argv[2:] or list(SUBJECTS)
    jobs = [(name, x) for name in names for x in itertools.product(*SUBJECTS[name].knobs.values())]
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for _ in pool.imap_unordered(build, jobs, 2):
            pass
    for name in names:
        record(name, [x for x in jobs if x[0] == name], folder)


if __name__ == "__main__":
    main()
