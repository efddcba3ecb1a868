"""Operations on integer arrays whose columns are pairs, such as an operator and its precondition.

There may be a million pairs, so an array is used instead of a list of tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

Array = np.ndarray
"""A one-dimensional array of whole numbers or of truth values."""

Columns = np.ndarray
"""A matrix of whole numbers; each column is a pair or a triple."""


def is_member(keys: Array, others: Array) -> Array:
    """Return, for each key, whether it occurs in `others`, as an array of truth values.

    This sorts, which is faster than hashing for millions of keys.
    """
    if not len(others):
        return np.zeros(len(keys), dtype=bool)
    ordered = np.sort(others)
    last = len(ordered) - 1
    places = np.minimum(np.searchsorted(ordered, keys), last)
    return ordered[places] == keys  # type: ignore[no-any-return]


def distinct_columns(columns: Columns) -> Columns:
    """Return the distinct columns of an array, in lexicographic order."""
    ordered = columns[:, np.lexsort(columns[::-1])]
    if not ordered.shape[1]:
        return ordered
    later = ordered[:, 1:]
    earlier = ordered[:, :-1]
    differs = (later != earlier).any(axis=0)
    return ordered[:, np.concatenate(([True], differs))]


def joined_ranges(counts: Array) -> Array:
    """Return the concatenated ranges 0, 1, ..., count - 1 of all counts.

    >>> joined_ranges(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends: Array = np.cumsum(counts)
    starts = np.repeat(ends - counts, counts)
    numbers: Array = np.arange(int(counts.sum())) - starts
    return numbers


def columns_of(
    rows: Iterable[Sequence[int]],
    height: int,
) -> Columns:
    """Return an array in which each item of `rows`, a tuple of `height` numbers, is a column."""
    matrix = np.array(list(rows), dtype=np.int64)
    return matrix.reshape(-1, height).T


def joined_columns(
    parts: Iterable[Columns],
    height: int,
) -> Columns:
    """Concatenate arrays of `height` rows side by side.

    Without parts, return an array without columns.
    """
    nothing = np.zeros((height, 0), dtype=np.int64)
    return np.concatenate([nothing, *parts], axis=1)


def first_places(keys: Array, count: int) -> Array:
    """Return the start of each group of equal numbers in `keys`, a sorted array.

    The group of the number k, below `count`, is `keys[result[k]:result[k + 1]]`. The result has
    `count + 1` entries.

    >>> first_places(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    places: Array = np.searchsorted(keys, np.arange(count + 1))
    return places
