"""Closes the compute operators of libraries in one process: what a candidate still computes there is its own work.

torch's operators are closed in its dispatcher and numpy's in the C structures behind its functions, so it does not
matter through which name a candidate calls them. What only looks, allocates or copies stays open.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy
import numpy.fft
import numpy.linalg
import torch

from kernelmesh_worker import device, traps
from kernelmesh_worker.device import here
from kernelmesh_worker.traps import make_writable, place, trap

_OPEN = frozenset({
    "empty", "empty_strided", "copy_", "_copy_from", "_to_copy", "clone", "view", "as_strided", "fill_", "zero_",
    "_reshape_alias", "resize_", "resize_as_", "set_", "_local_scalar_dense", "unfold", "alias", "view_as_real",
    "view_as_complex", "record_stream", "_nested_tensor_size", "_nested_tensor_strides",
})  # fmt: skip
_OPEN_WHILE_LOADED = frozenset({"equal", "normal_", "uniform_", "random_"})
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
# Few write these for themselves, as they do with products.
_SIGNS_OF_BLAS = ("strsm_", "cblas_strsm", "strsm_64_", "cblas_strsm64_", "scipy_cblas_strsm64_", "scipy_strsm_64_")
_DELETED = " (deleted)"
_OPEN_OF_CUPY = ("cupy_copy",)
# Of CPython 3.11 to 3.13: PyCFunctionObject.m_ml, PyMethodDescrObject.d_method, PyMethodDef.ml_meth in bytes.
_FUNCTION_DEFINITION, _METHOD_DEFINITION, _DEFINITION_CALL = 16, 40, 8
_TYPE_VECTORCALL = 56  # PyTypeObject.tp_vectorcall_offset
_TYPE_CALL, _WRAPPED = 128, 48  # PyTypeObject.tp_call, PyWrapperDescrObject.d_wrapped

_Stub = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _Absent:
    """A finder of modules that refuses those below some packages, of which `what` is used."""

    def __init__(self, packages: tuple[str, ...], what: str, note: Callable[[str], None]) -> None:
        self._packages = packages
        self._what = what
        self._note = note

    def find_spec(self, name: str, *_: Any) -> None:
        if name.startswith(self._packages):
            self._note(self._what)
            raise ImportError(f"{name} is closed here: {self._what} would do the work")


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


def parts() -> tuple[tuple[ModuleType, ...], dict[Any, tuple[str, ...]]]:
    """What closing works with, for untouched.watch."""
    torch_s = ("_dispatch_library", "_dispatch_get_registrations_for_dispatch_key")
    ctypes_s = ("CDLL", "PYFUNCTYPE", "c_uint64", "c_void_p", "cast", "memmove", "py_object", "pythonapi")
    others = {torch._C: torch_s, ctypes: ctypes_s, ctypes.CDLL: tuple(vars(ctypes.CDLL)), gc: ("get_referents",)}
    here_s = {type(here()): tuple(vars(type(here())))}
    return (sys.modules[__name__], device, traps), others | here_s | {builtins: tuple(vars(builtins))}


class LibraryGuard:
    """Made before a candidate is loaded: no function behind an operator can be had any more. From `close` on, calls
    fail. `tried` names them, each once.

    Until then nothing can be captured, for later, of what the device's libraries do; if `early`, those are closed at
    once, and anything may be captured."""

    __slots__ = ("_held", "_kept", "_routines", "tried")  # no other name of it can be given a meaning

    def __init__(self, early: bool = False) -> None:
        self.tried: list[str] = []
        self._kept: list[Any] = []
        self._held = {} if early else here().hold_capture()
        if early:
            of_device = [x for x in here().dispatch_keys if "CPU" not in x]
            _Routines().close()
            self._close_keys(of_device, _OPEN | _OPEN_WHILE_LOADED, _Registrations())
        torch._C._dispatch_get_computed_kernel_for_dispatch_key = self._refusal("torch.library.get_kernel")

    def close(self) -> None:
        """For the rest of this process's life."""
        traps.restore(self._held)
        self._routines = _Routines()
        self._routines.close()
        self._close_numpy()
        self._close_cupy()
        self._close_torch()

    def close_late(self) -> None:
        """What has been loaded since then."""
        for path in self._routines.close():
            self._note(path.rpartition("/")[2])

    def _note(self, name: str) -> None:
        if name not in self.tried and len(self.tried) < 64:
            self.tried.append(name)

    # -- torch --------------------------------------------------------------------------------------------------------

    def _close_torch(self) -> None:
        libraries = _Registrations()
        self._close_keys(here().dispatch_keys, _OPEN, libraries)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in sorted({x for key in _EVERYWHERE for x in _registered(key)}):
                if any(part in name for part in _DIRECT):
                    for key in sorted({"CPU", here().place.type.upper()}):
                        self._close_operator(name, key, libraries)
        self._close_compiler()

    def _close_keys(self, keys: Iterable[str], but: frozenset[str], libraries: _Registrations) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each replacement would be warned of
            for key in keys:
                for name in _registered(key):
                    namespace, _, operator = name.partition("::")
                    if namespace != "aten" or operator.partition(".")[0] not in but:
                        self._close_operator(name, key, libraries)

    def _close_operator(self, name: str, key: str, libraries: _Registrations) -> None:
        namespace, _, operator = name.partition("::")
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
            sys.meta_path.insert(0, _Absent(("torch._dynamo", "torch._inductor"), "torch.compile", self._note))
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

    # -- CuPy ---------------------------------------------------------------------------------------------------------

    def _close_cupy(self) -> None:
        """Its ready functions; kernels that a candidate writes in its terms are the candidate's own."""
        kernels = [sys.modules.get(f"cupy._core.{x}") for x in ("_kernel", "_reduction")]
        if None in kernels:
            if here().place.type != "cpu":
                sys.meta_path.insert(0, _Absent(("cupy",), "CuPy", self._note))
            return
        for kind in (kernels[0].ufunc, kernels[1]._SimpleReductionKernel):
            place = id(kind) + _TYPE_CALL
            stub = self._stub_unless_open(_word(place))
            _set_word(place, stub)
            if type(wrapper := vars(kind).get("__call__")).__name__ == "wrapper_descriptor":
                _set_word(id(wrapper) + _WRAPPED, stub)

    def _stub_unless_open(self, original: int) -> int:
        """The address of a C function in the place of that one, which is called for what stays open."""
        call = _Stub(original)

        def called(function: int, *given: Any) -> Any:
            name = getattr(ctypes.cast(function, ctypes.py_object).value, "name", "cupy")
            if name in _OPEN_OF_CUPY:
                return call(function, *given)
            self._note(name.replace("cupy_", "cupy."))
            return None

        stub = _Stub(called)
        self._kept.append(stub)
        return ctypes.cast(stub, ctypes.c_void_p).value or 0

    def _redefine(self, definition: int, name: str) -> None:
        make_writable(definition + _DEFINITION_CALL, 8)
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


# -- loaded libraries -------------------------------------------------------------------------------------------------


class _Routines:
    """Of libraries in this process, known by functions that they have, whatever their files are called: who calls one
    past numpy and torch ends by an illegal instruction."""

    def __init__(self) -> None:
        self._families = {**dict.fromkeys(_SIGNS_OF_BLAS, _names_of_blas()), **here().closed_functions}
        self._closed: set[int] = set()  # places of signs
        self._looked: set[str] = set()

    def close(self) -> list[str]:
        """Those that were loaded since; the names of their files."""
        return [path for path in sorted(_programs() - self._looked) if self._close_one(path)]

    def _close_one(self, path: str) -> bool:
        self._looked.add(path)
        try:
            library = ctypes.CDLL(path.removesuffix(_DELETED), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:
            return False  # the interpreter itself, or what is in no list of the loader's
        fresh = [x for x in self._families if (at := place(library, x)) and at not in self._closed]
        for sign in fresh:
            self._closed.add(place(library, sign) or 0)
            for name in self._families[sign]:
                trap(place(library, name))
        return bool(fresh)


def _names_of_blas() -> tuple[str, ...]:
    routines = [kind + call for kind in "sdcz" for call in _CALLS_OF_BLAS]
    small = [f"{prefix}{x}{suffix}" for x in routines for prefix in ("", "cblas_", "scipy_", "scipy_cblas_")
             for suffix in ("", "_", "64_", "_64_", "_64")]  # fmt: skip
    return (*small, *(x.upper() for x in routines))


def _programs() -> set[str]:
    """Files of which this process has code in its memory."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        parts = (line.rstrip("\n").split(maxsplit=5) for line in file)
        return {x[5] for x in parts if len(x) == 6 and "x" in x[1] and x[5].startswith("/")}
