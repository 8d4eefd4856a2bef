"""Blocks of memory for array data.

Freed large blocks are kept for the next request of about that size: fresh pages cost a page fault
each (about 0.1 us per 4 KiB), which is as much as an elementwise operation on them. Small ones are
kept by their size, since the system takes as long for an aligned one as a step on so few elements does.
"""

from std.ffi import external_call
from std.sys import size_of

from structured.threads.sleep import Mutex
from vm.base.raw import load, store


comptime ALIGNMENT = 64
comptime LARGE = 1 << 16
comptime MOST_LARGE = 512
"""Free large blocks that are kept at most: all may be looked at for one that fits."""
comptime SMALL_SIZES = LARGE // ALIGNMENT + 1
"""Sizes of small blocks, in units of ALIGNMENT."""
comptime KEPT = 256
"""Free small blocks of each size that are kept at most."""
comptime KEPT_BYTES = 1 << 18
"""Bytes of them."""
comptime MOST_SMALL = 1 << 25
"""Bytes of all free small blocks."""
comptime HUGE_PAGE = 1 << 21
comptime MADV_HUGEPAGE = 14
comptime LARGEST = 1 << 46
"""Bytes or elements beyond which nothing can lie in memory: sums of a few cannot overflow."""


struct _SmallBlocks(Movable):
    """Free small blocks: lists by their size, each block with the address of the next."""

    var first: Array[Int, SMALL_SIZES]
    var count: Array[Int, SMALL_SIZES]
    var held: Int
    """Bytes of all."""

    def __init__(out self):
        self.first = Array[Int, SMALL_SIZES](fill=0)
        self.count = Array[Int, SMALL_SIZES](fill=0)
        self.held = 0

    @always_inline
    def take(mut self, size: Int) -> Int:
        """A block that is at least so large, 0 if none is free."""
        var k = _units(size)
        var address = self.first[k]
        if address != 0:
            self.first[k] = load(address, 0)
            self.count[k] -= 1
            self.held -= k * ALIGNMENT
        return address

    @always_inline
    def keep(mut self, address: Int, size: Int) -> Bool:
        """Keeps a block for the next request, unless there are enough."""
        var k = _units(size)
        var bytes = k * ALIGNMENT
        if (
            self.count[k] >= KEPT
            or self.count[k] * bytes >= KEPT_BYTES
            or self.held + bytes > MOST_SMALL
        ):
            return False
        store(address, 0, self.first[k])
        self.first[k] = address
        self.count[k] += 1
        self.held += bytes
        return True


@always_inline
def _units(size: Int) -> Int:
    return (size + ALIGNMENT - 1) // ALIGNMENT


struct _Blocks(Movable):
    """Free blocks: small ones, and large ones, newest last, at most `limit` bytes of them."""

    var small: _SmallBlocks
    var addresses: List[Int]
    var sizes: List[Int]
    var held: Int
    var limit: Int
    var in_use: Int

    def __init__(out self):
        self.small = _SmallBlocks()
        self.addresses = List[Int]()
        self.sizes = List[Int]()
        self.held = 0
        self.limit = 1 << 29
        self.in_use = 0

    @no_inline
    def allocate(mut self, size: Int) -> Int:
        var address = 0
        if size < LARGE:
            address = self.small.take(size)
        else:
            address = self._take_large(size)
        if address == 0:
            address = self._new(size)
        if address != 0:
            self.in_use += size
        return address

    def _take_large(mut self, size: Int) -> Int:
        for k in reversed(range(len(self.sizes))):
            if self.sizes[k] == size:
                _ = self.sizes.pop(k)
                self.held -= size
                return self.addresses.pop(k)
        return 0

    def _new(mut self, size: Int) -> Int:
        """A block of the system's, 0 when it has none."""
        # blocks of one number of units take the place of each other
        var whole = size if size >= LARGE else _units(size) * ALIGNMENT
        var address = _aligned(whole)
        if address == 0:
            self.trim(0)
            address = _aligned(whole)
        if address != 0:
            _ask_for_huge_pages(address, whole)
        return address

    @no_inline
    def release(mut self, address: Int, size: Int):
        self.in_use -= size
        if size < LARGE:
            if not self.small.keep(address, size):
                external_call["free", NoneType](address)
            return
        self.addresses.append(address)
        self.sizes.append(size)
        self.held += size
        if self.held > self.limit:
            self.trim(self.limit // 2)
        elif len(self.sizes) > MOST_LARGE:
            self._free_oldest()

    def trim(mut self, limit: Int):
        """Gives the oldest blocks back to the system until at most `limit` bytes are held."""
        while self.held > limit:
            self._free_oldest()

    def _free_oldest(mut self):
        external_call["free", NoneType](self.addresses.pop(0))
        self.held -= self.sizes.pop(0)


def _aligned(size: Int) -> Int:
    """An aligned block of the system's, 0 when it has none.

    No block begins at a huge page on purpose: the system could not give one that was in use before.
    """
    var address = 0
    if (
        external_call["posix_memalign", Int32](
            Pointer(to=address), ALIGNMENT, size
        )
        != 0
    ):
        return 0
    return address


def _ask_for_huge_pages(address: Int, size: Int):
    """Asks for those that lie in a block as a whole."""
    var first = (address + HUGE_PAGE - 1) // HUGE_PAGE * HUGE_PAGE
    var end = (address + size) // HUGE_PAGE * HUGE_PAGE
    if first < end:
        _ = external_call["madvise", Int32](
            first, end - first, Int32(MADV_HUGEPAGE)
        )


comptime _BlocksPointer = Pointer[_Blocks, MutUntrackedOrigin]


struct Pool(TrivialRegisterPassable):
    """Memory for arrays, as long as the process lives.

    Threads free buffers while another one runs bytecode. So it is a pointer: an argument that is
    the blocks themselves would be taken to change by nobody else, and be kept in registers.
    """

    var blocks: _BlocksPointer
    var mutex: Mutex

    def __init__(out self):
        self.mutex = Mutex()
        self.blocks = {
            unsafe_from_address = external_call["malloc", Int](
                size_of[_Blocks]()
            )
        }
        self.blocks.unsafe_write(_Blocks())

    def allocate(self, nbytes: Int) -> Int:
        """The address of `rounded(nbytes)` bytes, 0 when memory is exhausted."""
        if nbytes > LARGEST:
            return 0
        self.mutex.lock()
        var address = self.blocks[].allocate(rounded(nbytes))
        self.mutex.unlock()
        return address

    def release(self, address: Int, nbytes: Int):
        self.mutex.lock()
        self.blocks[].release(address, rounded(nbytes))
        self.mutex.unlock()

    def in_use(self) -> Int:
        """Bytes of the arrays that live."""
        return self.blocks[].in_use


@always_inline
def elements(rows: Int, columns: Int) -> Int:
    """The product of two sizes, more than LARGEST for one that could overflow."""
    if rows == 0 or columns == 0:
        return 0
    return rows * columns if rows <= LARGEST // columns else 2 * LARGEST


@always_inline
def rounded(nbytes: Int) -> Int:
    """Sizes are rounded up (to an eighth of their power of two when large) so that blocks fit again."""
    if nbytes < LARGE:
        return max(nbytes, 8)
    var step = LARGE // 8
    while step * 16 <= nbytes:
        step *= 2
    return (nbytes + step - 1) // step * step


@always_inline
def pool_at(address: Int) -> Pointer[Pool, MutUntrackedOrigin]:
    return Pointer[Pool, MutUntrackedOrigin](unsafe_from_address=address)
