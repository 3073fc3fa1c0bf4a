"""The shapes of a task: one of get_inputs, or each argument list that get_inputs_dyn_list returns."""

from __future__ import annotations

from typing import Any

from kernelmesh_worker.values import tensors_in

MOST_SHAPES = 16
LISTS = "get_inputs_dyn_list"  # where a task has it, it alone says what the inputs are


def shape_text(values: Any) -> str:
    """ "[16, 64], [64]": the shapes of all tensors in it."""
    return ", ".join(str(list(x.shape)) for x in tensors_in(values))


def problem_of(lists: Any) -> str:
    """Why these are not the argument lists of one task; empty if they are."""
    if not isinstance(lists, (list, tuple)):
        return f"{LISTS} returns a {type(lists).__name__}, not a list of argument lists"
    if not lists:
        return f"{LISTS} returns no argument list"
    if len(lists) > MOST_SHAPES:
        return f"{LISTS} returns {len(lists)} argument lists: a task may have at most {MOST_SHAPES} shapes"
    for values in lists:
        if not isinstance(values, (list, tuple)):
            return f"{LISTS} returns a list with a {type(values).__name__} in it, not argument lists"
    if len({(len(values), len(tensors_in(values))) for values in lists}) > 1:
        return f"{LISTS} returns lists of different numbers of arguments"
    if any(all(x.numel() == 0 for x in tensors_in(values)) for values in lists if tensors_in(values)):
        return f"{LISTS} returns a shape without elements, on which there is nothing to do"
    texts = [shape_text(values) for values in lists]
    twice = next((text for text in texts if texts.count(text) > 1), None)
    return f"{LISTS} returns the shape {twice or 'without a tensor'} twice" if twice is not None else ""
