"""What evaluators are called in reports and gates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from judgekit.errors import InvalidArgument

__all__ = ["CUSTOM_PREFIX", "built_in_label", "eval_label", "label_of", "label_owner"]

CUSTOM_PREFIX = "custom-eval:"

T = TypeVar("T", bound=Callable[..., Any])


def _checked_label(label: object) -> str:
    if callable(label):
        raise InvalidArgument(
            "eval_label takes the label first and the function after it; "
            'write @eval_label("my-check") above the function'
        )
    if not isinstance(label, str) or not label.strip():
        raise InvalidArgument(f"an evaluator's label must be text that is not blank, got {label!r}")
    if label.startswith(CUSTOM_PREFIX):
        raise InvalidArgument(
            f"an evaluator's label must not start with {CUSTOM_PREFIX!r}, which reports add by themselves; "
            f"write {label.removeprefix(CUSTOM_PREFIX)!r}"
        )
    if not label.isprintable():
        raise InvalidArgument(f"an evaluator's label must be printable text on one line, got {label!r}")
    return label


def eval_label(label: str) -> Callable[[T], T]:
    """Name an evaluator class or function in reports and gates, as `custom-eval:<label>`.

    Raises:
        InvalidArgument: The label is blank or starts with `custom-eval:`, or what it is given to cannot
            carry one, as a bound method.
    """
    return _attaching(CUSTOM_PREFIX + _checked_label(label))


def built_in_label(label: str) -> Callable[[T], T]:
    """Give one of judgekit's own evaluators its label, which reports show as it is."""
    return _attaching(_checked_label(label))


def _attaching(label: str) -> Callable[[T], T]:
    def attach(owner: T) -> T:
        try:
            owner.__eval_label__ = label  # type: ignore[attr-defined]
        except AttributeError as error:
            raise InvalidArgument(
                f"{owner!r} cannot carry a label; label its class, or a lambda around it"
            ) from error
        return owner

    return attach


def label_of(evaluator: object) -> str:
    """The label as reports show it, of an evaluator, its class, or a labelled function.

    Raises:
        InvalidArgument: It has no label.
    """
    label = getattr(evaluator, "__eval_label__", None)
    if isinstance(label, str):
        return label
    raise InvalidArgument(_unlabelled(evaluator))


def _unlabelled(evaluator: object) -> str:
    if isinstance(evaluator, type):
        return f'the evaluator class {evaluator.__name__} has no label; write `@eval_label("...")` above it'
    name = getattr(evaluator, "__name__", type(evaluator).__name__)
    if name == "<lambda>":
        return (
            'a bare lambda has no label; name it with `eval_label("my-check")(lambda case, interaction: ...)`'
        )
    if str(getattr(evaluator, "__module__", "")).startswith("judgekit."):
        return f"{name} makes an evaluator when it is called; write {name}(...)"
    return f'the evaluator {name} has no label; write `@eval_label("...")` above its class or function'


def label_owner(evaluator: object) -> object:
    """What a label belongs to: the class that set it, or a function's code, so closures are one owner."""
    code = getattr(evaluator, "__code__", None)
    if code is not None:
        return code
    kind = evaluator if isinstance(evaluator, type) else type(evaluator)
    for base in kind.__mro__:
        if "__eval_label__" in vars(base):
            return base
    return kind
