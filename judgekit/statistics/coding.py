"""Labels of several raters: one coding for all, or a refusal; and the weights between categories."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from judgekit.errors import InvalidArgument

__all__ = ["WEIGHTS", "agreement_weights", "shared_categories"]

WEIGHTS = ("none", "linear", "quadratic", "ordinal")


def _kind(label: Hashable) -> str:
    if isinstance(label, bool):
        return "true or false"
    return "numbers" if isinstance(label, int | float) else f"{type(label).__name__} values"


def _in_order(labels: Iterable[Hashable]) -> list[Any]:
    found: list[Any] = list(dict.fromkeys(labels))
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=lambda label: (type(label).__name__, str(label)))


def _seen(name: str, labels: Iterable[Hashable | None]) -> list[Any]:
    found = _in_order(label for label in labels if label is not None)
    if any(label != label for label in found):
        raise InvalidArgument(f"{name} holds NaN; write None for a missing label")
    return found


def shared_categories(
    raters: Sequence[Sequence[Hashable | None]], categories: Sequence[Hashable] | None = None
) -> list[Any]:
    """The one set of categories that all raters use, in order.

    Two raters who use different labels, such as 0 and 1 against 1 and 2, may mean the same by different
    codes; their agreement would be a number about the codes. Where neither set holds the other the labels
    are refused, unless `categories` says which they share.

    Args:
        raters: The labels of each rater; None is missing.
        categories: All categories, in order of the scale; None: what the raters use, sorted.

    Raises:
        InvalidArgument: The raters share no coding, or a label is not among `categories`.
    """
    seen = [_seen(f"rater {number}", labels) for number, labels in enumerate(raters, 1)]
    kinds = {_kind(label) for labels in seen for label in labels}
    if len(kinds) > 1:
        raise InvalidArgument(
            f"the label sets do not share a coding: {_listed(seen)} mix {' and '.join(sorted(kinds))}; "
            "map both onto the same labels first"
        )
    if categories is not None:
        return _declared(seen, categories)
    widest: set[Any] = max((set(labels) for labels in seen), key=len, default=set())
    for labels in seen:
        if not set(labels) <= widest:
            raise InvalidArgument(
                f"the label sets do not share a coding: {_listed(seen)}; map both onto the same labels, "
                "or name them all with `categories`"
            )
    return _in_order(widest)


def _declared(seen: Sequence[Sequence[Any]], categories: Sequence[Hashable]) -> list[Any]:
    if len(set(categories)) != len(categories):
        raise InvalidArgument(f"`categories` must differ from each other, got {list(categories)!r}")
    for labels in seen:
        strange = [label for label in labels if label not in categories]
        if strange:
            raise InvalidArgument(f"{strange[0]!r} is not among `categories` {list(categories)!r}")
    return list(categories)


def _listed(seen: Sequence[Sequence[Any]]) -> str:
    return " against ".join(dict.fromkeys(str(labels[:6]) for labels in seen))


def agreement_weights(categories: Sequence[Any], weights: str) -> list[list[float]]:
    """How far each pair of categories counts as agreeing: 1 on the diagonal, 0 for the farthest.

    `none`: only equal labels agree. `linear` and `quadratic`: by the distance of numbers, or of ranks where
    categories are no numbers (Cohen 1968). `ordinal`: by the pairs of ranks between (Gwet 2014).

    Raises:
        InvalidArgument: An unknown name.
    """
    if weights not in WEIGHTS:
        raise InvalidArgument(f"`weights` must be one of {', '.join(WEIGHTS)}, got {weights!r}")
    size = len(categories)
    numeric = all(isinstance(each, int | float) and not isinstance(each, bool) for each in categories)
    places = [float(each) for each in categories] if numeric else [float(rank) for rank in range(size)]
    span = (max(places) - min(places)) if size > 1 else 1.0

    def weight(i: int, j: int) -> float:
        if i == j:
            return 1.0
        if weights == "none":
            return 0.0
        if weights == "ordinal":
            steps = abs(i - j) + 1
            return 1 - steps * (steps - 1) / (size * (size - 1))
        distance = abs(places[i] - places[j]) / span
        return 1 - (distance if weights == "linear" else distance * distance)

    return [[weight(i, j) for j in range(size)] for i in range(size)]
