"""What a task's code may leave changed in the judge, and how it was before.

The judge lives on when a task is done. Out of reach are: what the code changed in other modules and classes, the
modules that it imported, environment and working folder, threads that it started, the number of inter-op threads
(torch takes it once). None of these is undone before the judge ends.
"""

from __future__ import annotations

import random

import numpy
import torch

_FUNCTIONS = ("rand", "randn", "rand_like", "randn_like", "manual_seed")


class Before:
    """Settings of torch and the states of random generators, as they are when it is made."""

    def __init__(self) -> None:
        self._functions = {name: getattr(torch, name) for name in _FUNCTIONS}
        self._dtype = torch.get_default_dtype()
        self._threads = torch.get_num_threads()
        self._gradients = torch.is_grad_enabled()
        self._deterministic = torch.get_deterministic_debug_mode()  # the flag and whether it only warns
        self._precision = torch.get_float32_matmul_precision()
        self._random = (torch.get_rng_state(), random.getstate(), numpy.random.get_state())

    def restore(self) -> None:
        for name, function in self._functions.items():
            setattr(torch, name, function)
        torch.set_default_device(None)  # first: the calls below make tensors
        torch.set_default_dtype(self._dtype)
        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        torch.set_grad_enabled(self._gradients)
        torch.set_deterministic_debug_mode(self._deterministic)
        torch.set_float32_matmul_precision(self._precision)
        torch.set_flush_denormal(False)  # can't be asked for; nobody else sets it
        torch.set_rng_state(self._random[0])
        random.setstate(self._random[1])
        numpy.random.set_state(self._random[2])
