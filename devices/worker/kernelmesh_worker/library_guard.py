"""Closes the compute operators of libraries in one process: what a candidate still computes there is its own work.

torch's operators are closed in its dispatcher and numpy's in the C structures behind its functions, so it does not
matter through which name a candidate calls them. What only looks, allocates or copies stays open.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy
import numpy.fft
import numpy.linalg
import torch

from kernelmesh_worker.device import here

_OPEN = {
    "empty", "empty_strided", "copy_", "_copy_from", "_to_copy", "clone", "view", "as_strided", "fill_", "zero_",
    "_reshape_alias", "resize_", "resize_as_", "set_", "_local_scalar_dense", "unfold", "alias", "view_as_real",
    "view_as_complex", "record_stream", "_nested_tensor_size", "_nested_tensor_strides",
}  # fmt: skip
# Kernels that are registered for every device and compute without asking the dispatcher again.
_EVERYWHERE = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
_DIRECT = ("conv", "mkldnn", "mkl_", "onednn", "rnn", "lstm", "gru", "quantize", "fbgemm", "embedding", "_fused")

_ARRAYS = ("numpy.", "scipy.")
_UFUNC_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
_ARRAY_FUNCTIONS = ("dot", "vdot", "inner", "c_einsum", "correlate", "correlate2", "where", "bincount", "interp")
_ARRAY_METHODS = (
    "dot", "sum", "prod", "max", "min", "mean", "var", "std", "cumsum", "cumprod", "argmax", "argmin", "sort",
    "argsort", "partition", "clip", "round", "trace", "any", "all", "choose", "compress", "repeat", "searchsorted",
)  # fmt: skip
_CALLS_OF_BLAS = (
    "gemm", "gemv", "ger", "symm", "symv", "syrk", "syr2k", "trmm", "trsm", "trmv", "dot", "axpy", "scal", "nrm2",
    "asum", "gemmt", "omatcopy",
)  # fmt: skip
# Of CPython 3.11 to 3.13: PyCFunctionObject.m_ml, PyMethodDescrObject.d_method, PyMethodDef.ml_meth in bytes.
_FUNCTION_DEFINITION, _METHOD_DEFINITION, _DEFINITION_CALL = 16, 40, 8
_TYPE_VECTORCALL = 56  # PyTypeObject.tp_vectorcall_offset
_TRAP = bytes((0x0F, 0x0B)) if sys.platform == "linux" else b""  # ud2: the process ends by SIGILL

_Stub = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _Absent:
    """A finder of modules that refuses those below some packages."""

    def __init__(self, packages: tuple[str, ...], note: Callable[[str], None]) -> None:
        self._packages = packages
        self._note = note

    def find_spec(self, name: str, *_: Any) -> None:
        if name.startswith(self._packages):
            self._note("torch.compile")
            raise ImportError(f"{name} is closed here: a compiler of torch would do the work")


class _Registrations:
    """With torch's dispatcher, by namespace of operators. They outlive this object, and nothing that Python can find
    among its objects takes them back."""

    def __init__(self) -> None:
        self._of: dict[str, Any] = {}

    def of(self, namespace: str) -> Any:
        if namespace not in self._of:
            made = torch._C._dispatch_library("IMPL", namespace, "", __file__, 0)
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
            self._of[namespace] = made
        return self._of[namespace]


class LibraryGuard:
    """Made before a candidate is loaded: no function behind an operator can be had any more. From `close` on, calls
    fail. `tried` names them, each once."""

    def __init__(self) -> None:
        self.tried: list[str] = []
        self._kept: list[Any] = []
        torch._C._dispatch_get_computed_kernel_for_dispatch_key = self._refusal("torch.library.get_kernel")

    def close(self) -> None:
        """For the rest of this process's life."""
        _close_blas()
        _close_libraries_of(here().closed_functions)
        self._close_numpy()
        self._close_torch()

    def _note(self, name: str) -> None:
        if name not in self.tried and len(self.tried) < 64:
            self.tried.append(name)

    # -- torch --------------------------------------------------------------------------------------------------------

    def _close_torch(self) -> None:
        libraries = _Registrations()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each replacement would be warned of
            for key in here().dispatch_keys:
                for name in _registered(key):
                    self._close_operator(name, key, libraries)
            for name in sorted({x for key in _EVERYWHERE for x in _registered(key)}):
                if any(part in name for part in _DIRECT):
                    for key in sorted({"CPU", here().place.type.upper()}):
                        self._close_operator(name, key, libraries)
        self._close_compiler()

    def _close_operator(self, name: str, key: str, libraries: _Registrations) -> None:
        namespace, _, operator = name.partition("::")
        if namespace == "aten" and operator.partition(".")[0] in _OPEN:
            return
        try:
            libraries.of(namespace).impl(operator, key, self._refusal(name))
        except RuntimeError:
            pass  # an operator without a schema can't be called either

    def _refusal(self, name: str) -> Callable[..., Any]:
        def refuse(*_: Any, **__: Any) -> Any:
            self._note(name)
            raise RuntimeError(f"{name} is closed here: a library would do the work")

        return refuse

    def _close_compiler(self) -> None:
        """torch.compile would do the work with kernels of its own that no dispatcher sees."""
        frames = sys.modules.get("torch._dynamo.eval_frame")
        if frames is None:
            sys.meta_path.insert(0, _Absent(("torch._dynamo", "torch._inductor"), self._note))
            return
        for name in [x for x in vars(frames) if x.endswith("set_eval_frame")]:
            setattr(frames, name, self._refusal("torch.compile"))

    # -- numpy --------------------------------------------------------------------------------------------------------

    def _close_numpy(self) -> None:
        core = sys.modules.get("numpy._core._multiarray_umath") or sys.modules.get("numpy.core._multiarray_umath")
        offset = _word(id(numpy.ufunc) + _TYPE_VECTORCALL)
        for value in _loaded_ufuncs():
            _set_word(id(value) + offset, self._stub(f"numpy.{value.__name__}"))
        for name in _ARRAY_FUNCTIONS:
            function = getattr(core, name, None)
            function = getattr(function, "_implementation", function)
            if type(function).__name__ == "builtin_function_or_method":
                self._redefine(_word(id(function) + _FUNCTION_DEFINITION), f"numpy.{name}")
        for owner, names in ((numpy.ufunc, _UFUNC_METHODS), (numpy.ndarray, _ARRAY_METHODS)):
            methods = gc.get_referents(owner.__dict__)[0]
            for name in names:
                if type(methods.get(name)).__name__ == "method_descriptor":
                    self._redefine(_word(id(methods[name]) + _METHOD_DEFINITION), f"numpy.{owner.__name__}.{name}")

    def _redefine(self, definition: int, name: str) -> None:
        _make_writable(definition + _DEFINITION_CALL, 8)
        _set_word(definition + _DEFINITION_CALL, self._stub(name))

    def _stub(self, name: str) -> int:
        """The address of a C function that notes the call and fails: NULL without an exception is a SystemError."""

        def called(*_: Any) -> None:
            self._note(name)

        stub = _Stub(called)
        self._kept.append(stub)
        return ctypes.cast(stub, ctypes.c_void_p).value or 0


def _loaded_ufuncs() -> list[Any]:
    """Of numpy, its parts for linear algebra and transforms too, and of what comes with it."""
    modules = [x for name, x in sys.modules.items() if name.startswith(_ARRAYS) and isinstance(x, ModuleType)]
    found = {id(x): x for module in modules for x in list(vars(module).values()) if isinstance(x, numpy.ufunc)}
    return list(found.values())


def _registered(key: str) -> list[str]:
    return torch._C._dispatch_get_registrations_for_dispatch_key(key)


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _set_word(address: int, value: int) -> None:
    ctypes.c_uint64.from_address(address).value = value


def _make_writable(address: int, size: int, executable: bool = False) -> bool:
    start = address // mmap.PAGESIZE * mmap.PAGESIZE
    protection = mmap.PROT_READ | mmap.PROT_WRITE | (mmap.PROT_EXEC if executable else 0)
    length = address + size - start
    return ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(length), protection) == 0


def _close_blas() -> None:
    """Who calls a routine of a loaded BLAS by its own name, past numpy and torch, ends by an illegal instruction."""
    for path in sorted(_loaded_libraries()):
        library = ctypes.CDLL(path)
        for name in _names_of_blas():
            routine = getattr(library, name, None)
            _trap(ctypes.cast(routine, ctypes.c_void_p).value if routine is not None else None)


def _names_of_blas() -> list[str]:
    routines = [kind + call for kind in "sdcz" for call in _CALLS_OF_BLAS]
    small = [f"{prefix}{x}{suffix}" for x in routines for prefix in ("", "cblas_", "scipy_", "scipy_cblas_")
             for suffix in ("", "_", "64_", "_64_", "_64")]  # fmt: skip
    return small + [x.upper() for x in routines]


def _close_libraries_of(names: dict[str, tuple[str, ...]]) -> None:
    """Functions of loaded libraries, by a part of the library's name: whoever calls one ends likewise."""
    for path in sorted(_loaded_libraries(tuple(names))):
        library = ctypes.CDLL(path)
        for function in next(x for part, x in names.items() if part in path.rsplit("/", 1)[-1]):
            routine = getattr(library, function, None)
            _trap(ctypes.cast(routine, ctypes.c_void_p).value if routine is not None else None)


def _trap(address: int | None) -> None:
    if address and _make_writable(address, len(_TRAP), executable=True):
        ctypes.memmove(address, _TRAP, len(_TRAP))


def _loaded_libraries(parts: tuple[str, ...] = ("blas", "mkl", "torch_cpu", "dnnl")) -> set[str]:
    """Those of this process that hold a BLAS, or have one of these in their names."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        paths = {line.split(maxsplit=5)[-1].strip() for line in file if ".so" in line}
    return {x for x in paths if any(part in x.rsplit("/", 1)[-1] for part in parts)}
