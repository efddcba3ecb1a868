"""A lower bound that processes share: what one has refuted, the others need not try."""

from __future__ import annotations

import mmap
import struct

_NUMBER = struct.Struct("=q")


class SharedBound:
    """The greatest bound that any process has told, in memory that a forked child shares.

    Two that write at once may leave the smaller bound, which is proven as well.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _NUMBER.size)

    def told(self) -> int:
        """Every horizon below it is refuted."""
        return int(_NUMBER.unpack_from(self._memory)[0])

    def tell(self, bound: int) -> None:
        """Tell the others of a bound."""
        if bound > self.told():
            _NUMBER.pack_into(self._memory, 0, bound)
