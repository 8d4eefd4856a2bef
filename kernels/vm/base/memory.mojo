"""Blocks of memory for array data, and the Python type that owns one.

Freed large blocks are kept for the next request of about that size: fresh pages cost a page fault
each (about 0.1 us per 4 KiB), which is as much as an elementwise operation on them.
"""

from std.ffi import external_call
from std.python import PythonObject
from std.sys import size_of

from structured.threads.sleep import Mutex


comptime ALIGNMENT = 64
comptime LARGE = 1 << 20
comptime HUGE_PAGE = 1 << 21
comptime MADV_HUGEPAGE = 14
comptime LARGEST = 1 << 46
"""Bytes or elements beyond which nothing can lie in memory: sums of a few cannot overflow."""


struct _Blocks(Movable):
    """Free large blocks, newest last, at most `limit` bytes of them."""

    var addresses: List[Int]
    var sizes: List[Int]
    var held: Int
    var limit: Int
    var in_use: Int

    def __init__(out self):
        self.addresses = List[Int]()
        self.sizes = List[Int]()
        self.held = 0
        self.limit = 1 << 29
        self.in_use = 0

    @no_inline
    def allocate(mut self, size: Int) -> Int:
        if size >= LARGE:
            for k in reversed(range(len(self.sizes))):
                if self.sizes[k] == size:
                    var address = self.addresses.pop(k)
                    _ = self.sizes.pop(k)
                    self.held -= size
                    self.in_use += size
                    return address
        var address = 0
        var align = ALIGNMENT if size < HUGE_PAGE else HUGE_PAGE
        if (
            external_call["posix_memalign", Int32](
                Pointer(to=address), align, size
            )
            != 0
        ):
            self.trim(0)
            if (
                external_call["posix_memalign", Int32](
                    Pointer(to=address), align, size
                )
                != 0
            ):
                return 0
        if size >= HUGE_PAGE:
            _ = external_call["madvise", Int32](
                address, size, Int32(MADV_HUGEPAGE)
            )
        self.in_use += size
        return address

    @no_inline
    def release(mut self, address: Int, size: Int):
        self.in_use -= size
        if size < LARGE:
            external_call["free", NoneType](address)
            return
        self.addresses.append(address)
        self.sizes.append(size)
        self.held += size
        if self.held > self.limit:
            self.trim(self.limit // 2)

    def trim(mut self, limit: Int):
        """Gives the oldest blocks back to the system until at most `limit` bytes are held."""
        while self.held > limit:
            external_call["free", NoneType](self.addresses.pop(0))
            self.held -= self.sizes.pop(0)


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
    var step = 1 << 17
    while step * 16 <= nbytes:
        step *= 2
    return (nbytes + step - 1) // step * step


struct Buffer(Defaultable, Movable, Writable):
    """Memory of one array, freed with its last reference. Python sees it as an opaque object."""

    var address: Int
    var nbytes: Int
    var pool: Int
    """Address of the pool that the memory goes back to; 0 for memory of another owner."""
    var owner: Optional[PythonObject]
    """What keeps memory alive that is not the pool's."""

    def __init__(out self):
        self.address = 0
        self.nbytes = 0
        self.pool = 0
        self.owner = None

    def __init__(out self, address: Int, nbytes: Int, pool: Int):
        self.address = address
        self.nbytes = nbytes
        self.pool = pool
        self.owner = None

    def __init__(
        out self, address: Int, nbytes: Int, pool: Int, owner: PythonObject
    ):
        self.address = address
        self.nbytes = nbytes
        self.pool = pool
        self.owner = owner

    def __deinit__(deinit self):
        if self.pool != 0:
            pool_at(self.pool)[].release(self.address, self.nbytes)

    def write_to(self, mut writer: Some[Writer]):
        writer.write("Buffer of ", self.nbytes, " bytes")


@always_inline
def pool_at(address: Int) -> Pointer[Pool, MutUntrackedOrigin]:
    return Pointer[Pool, MutUntrackedOrigin](unsafe_from_address=address)
