"""Matrix products by the CBLAS of the library scipy-openblas32, where it is loaded."""
from elementwise.numbers.dtypes import COMPLEX128, COMPLEX64, dtype_code
from std.ffi import _Global, external_call
from std.math import sqrt
from std.memory import stack_allocation
from std.sys import size_of

from structured.operands.operand import (
    item_size,
    load,
    store,
)
from structured.product.products import Product
from structured.threads.threads import parallel_for

comptime BLAS_WORK = 1 << 14
"""Multiplications of a convolution's block from which on BLAS is faster than loops of our own."""
comptime _ALONE = 1 << 18
"""Multiplications from which on the library uses threads of its own."""
comptime _PARALLEL_WORK = 1 << 19
"""Multiplications from which on several threads pay."""
comptime ROW_MAJOR = Int32(101)
comptime COL_MAJOR = Int32(102)
comptime _PLAIN = Int32(111)
comptime TRANSPOSED = Int32(112)
comptime _UPPER = Int32(121)
comptime _BLOCK = 32
"""Rows and columns of a square that is mirrored while it lies in cache."""
comptime MOST = Int(Int32.MAX)

comptime _Gemm[dtype: DType] = def(
    order: Int32,
    transpose_a: Int32,
    transpose_b: Int32,
    m: Int32,
    n: Int32,
    k: Int32,
    alpha: Scalar[dtype],
    a: Int,
    a_leading: Int32,
    b: Int,
    b_leading: Int32,
    beta: Scalar[dtype],
    c: Int,
    c_leading: Int32,
) thin abi("C") -> None

comptime _ComplexGemm[part: DType] = def(
    order: Int32,
    transpose_a: Int32,
    transpose_b: Int32,
    m: Int32,
    n: Int32,
    k: Int32,
    alpha: Pointer[Scalar[part], MutAnyOrigin],
    a: Int,
    a_leading: Int32,
    b: Int,
    b_leading: Int32,
    beta: Pointer[Scalar[part], MutAnyOrigin],
    c: Int,
    c_leading: Int32,
) thin abi("C") -> None
"""Factors are given by pointers."""

comptime _Syrk[dtype: DType] = def(
    order: Int32,
    triangle: Int32,
    transpose: Int32,
    n: Int32,
    k: Int32,
    alpha: Scalar[dtype],
    a: Int,
    a_leading: Int32,
    beta: Scalar[dtype],
    c: Int,
    c_leading: Int32,
) thin abi("C") -> None

comptime _GetThreads = def() thin abi("C") -> Int32
comptime _SetThreads = def(count: Int32) thin abi("C") -> None


comptime FUNCTIONS: List[StaticString] = [
    "scipy_cblas_sgemm",
    "scipy_cblas_dgemm",
    "scipy_cblas_cgemm",
    "scipy_cblas_zgemm",
    "scipy_cblas_ssyrk",
    "scipy_cblas_dsyrk",
    "scipy_openblas_get_num_threads",
    "scipy_openblas_set_num_threads",
    "scipy_cblas_sdot",
    "scipy_cblas_ddot",
    "scipy_cblas_cdotu_sub",
    "scipy_cblas_zdotu_sub",
    "scipy_cblas_sgemv",
    "scipy_cblas_dgemv",
    "scipy_cblas_cgemv",
    "scipy_cblas_zgemv",
]
comptime SGEMM = 0
comptime DGEMM = 1
comptime CGEMM = 2
comptime ZGEMM = 3
comptime SSYRK = 4
comptime DSYRK = 5
comptime GET_THREADS = 6
comptime SET_THREADS = 7
comptime SDOT = 8
comptime DDOT = 9
comptime CDOT = 10
comptime ZDOT = 11
comptime SGEMV = 12
comptime DGEMV = 13
comptime CGEMV = 14
comptime ZGEMV = 15


def _none() -> List[Int]:
    comptime count = len(FUNCTIONS)
    return List[Int](length=count, fill=0)


comptime _FOUND = _Global["jujunp_blas_functions", _none]
"""The addresses of functions that were looked up before: the system takes 1 us to find one."""

comptime _LIBRARY: StaticString = "libscipy_openblas.so"
comptime _RTLD_LAZY = Int32(1)
comptime _RTLD_NOLOAD = Int32(4)


def _nowhere() -> Int:
    return 0


comptime _HANDLE = _Global["jujunp_blas_library", _nowhere]


@always_inline
def address_in_library(name: Pointer[UInt8, _]) -> Int:
    """The address of a function, given its name; 0 if the process has not loaded the library.

    The library itself is asked. It is not loaded for all: another OpenBLAS in the process, of
    other libraries, would then call its functions in the place of its own.
    """
    try:
        var handle = _HANDLE.get_or_create_ptr()
        if handle[] == 0:
            handle[] = external_call["dlopen", Int](
                _LIBRARY.unsafe_ptr(), _RTLD_LAZY | _RTLD_NOLOAD
            )
        if handle[] != 0:
            return external_call["dlsym", Int](handle[], name)
    except:
        pass
    return 0


def function_at[number: Int]() -> Int:
    """The address of one of FUNCTIONS, 0 if the process has not loaded the library."""
    comptime name = FUNCTIONS[number]
    try:
        var found = _FOUND.get_or_create_ptr()
        if found[][number] == 0:
            found[][number] = address_in_library(name.unsafe_ptr())
        return found[][number]
    except:
        return 0


struct Layout(TrivialRegisterPassable):
    """How BLAS is to read a matrix of given strides: transposed or not, how far apart."""

    var fits: Bool
    var transpose: Int32
    var leading: Int32

    def __init__(
        out self, rows: Int, columns: Int, row: Int, column: Int, item: Int
    ):
        var plain = column == item or columns == 1
        var apart = row if plain else column
        var least = (columns if plain else rows) * item
        # A stride that is never taken may be anything, and BLAS wants a sensible one.
        if (rows if plain else columns) == 1:
            apart = least
        self.fits = (
            (plain or row == item) and apart >= least and apart % item == 0
        )
        self.fits = self.fits and apart // item <= MOST
        self.transpose = _PLAIN if plain else TRANSPOSED
        self.leading = Int32(apart // item) if self.fits else 0


@always_inline
def function[type: TrivialRegisterPassable](address: Int) -> type:
    """The C function at an address."""
    var slot = stack_allocation[1, DType.int64]()
    slot[unsafe_offset=0] = Int64(address)
    return Pointer[type, MutUntrackedOrigin](unsafe_from_address=Int(slot))[
        unsafe_offset=0
    ]


def _gemm[dtype: DType](p: Product, a: Layout, b: Layout, address: Int):
    """Calls the function at an address."""
    function[_Gemm[dtype]](address)(
        ROW_MAJOR,
        a.transpose,
        b.transpose,
        Int32(p.m),
        Int32(p.n),
        Int32(p.k),
        1,
        p.a,
        a.leading,
        p.b,
        b.leading,
        0,
        p.out_,
        Int32(p.out_m // size_of[Scalar[dtype]]()),
    )


def _syrk[dtype: DType](p: Product, a: Layout, address: Int):
    """Computes the upper triangle of a matrix times its own transpose."""
    function[_Syrk[dtype]](address)(
        ROW_MAJOR,
        _UPPER,
        a.transpose,
        Int32(p.m),
        Int32(p.k),
        1,
        p.a,
        a.leading,
        0,
        p.out_,
        Int32(p.out_m // size_of[Scalar[dtype]]()),
    )


def _mirror[dtype: DType](p: Product, start: Int, end: Int):
    """Copies what is above the diagonal in some columns to what is below it."""
    comptime item = size_of[Scalar[dtype]]()
    for top in range(start, end, _BLOCK):
        for left in range(0, top + _BLOCK, _BLOCK):
            for row in range(top, min(top + _BLOCK, end)):
                for column in range(left, min(left + _BLOCK, row)):
                    store(
                        p.out_ + row * p.out_m + column * item,
                        load[dtype](p.out_ + column * p.out_m + row * item),
                    )


def _complex_gemm[part: DType](p: Product, a: Layout, b: Layout, address: Int):
    """Calls the function at an address."""
    comptime item = 2 * size_of[Scalar[part]]()
    var factors = Array[Scalar[part], 4](fill=0)
    factors[0] = 1
    var one = factors.unsafe_ptr().as_unsafe_any_origin()
    function[_ComplexGemm[part]](address)(
        ROW_MAJOR,
        a.transpose,
        b.transpose,
        Int32(p.m),
        Int32(p.n),
        Int32(p.k),
        one,
        p.a,
        a.leading,
        p.b,
        b.leading,
        one.unsafe_offset(2),
        p.out_,
        Int32(p.out_m // item),
    )
    _ = factors^


struct Blas(TrivialRegisterPassable):
    """The matrix product of the library for one dtype."""

    var address: Int
    """Of the function, 0 if the library is not loaded or has no such function."""
    var item: Int
    var code: Int
    """The dtype code."""

    def __init__(out self, code: Int):
        self.address = 0
        self.code = code
        self.item = item_size(code)
        if code == dtype_code(DType.float64):
            self.address = function_at[DGEMM]()
        elif code == dtype_code(DType.float32):
            self.address = function_at[SGEMM]()
        elif code == COMPLEX64:
            self.address = function_at[CGEMM]()
        elif code == COMPLEX128:
            self.address = function_at[ZGEMM]()

    def takes(self, p: Product) -> Bool:
        """Whether BLAS can multiply two matrices as they lie."""
        var most = max(p.m, p.n, p.k)
        if self.address == 0 or min(p.m, p.n) == 1 or p.k == 0 or most > MOST:
            return False
        var a = Layout(p.m, p.k, p.a_m, p.a_k, self.item)
        return a.fits and Layout(p.k, p.n, p.b_k, p.b_n, self.item).fits

    def _symmetric(self, p: Product) -> Bool:
        """Whether half of a product is computed, that of real numbers with their transpose."""
        return p.by_its_transpose() and self.code <= dtype_code(DType.float64)

    def multiply_here(self, p: Product):
        """Multiplies on this thread."""
        if self._symmetric(p):
            self._multiply_strip(p, 0, p.m)
        else:
            self._multiply_all(p)

    def _multiply_all(self, p: Product):
        """Computes each element of the result."""
        var a = Layout(p.m, p.k, p.a_m, p.a_k, self.item)
        var b = Layout(p.k, p.n, p.b_k, p.b_n, self.item)
        if self.code == COMPLEX64:
            _complex_gemm[DType.float32](p, a, b, self.address)
        elif self.code == COMPLEX128:
            _complex_gemm[DType.float64](p, a, b, self.address)
        elif self.item == 8:
            _gemm[DType.float64](p, a, b, self.address)
        else:
            _gemm[DType.float32](p, a, b, self.address)

    def _multiply_strip(self, p: Product, start: Int, end: Int):
        """Computes columns of a symmetric result down to the diagonal, and mirrors them."""
        if start == end:
            return
        if start > 0:
            self._multiply_all(p.block(0, start, start, end, self.item))
        var square = p.block(start, end, start, end, self.item)
        var a = Layout(square.m, p.k, p.a_m, p.a_k, self.item)
        if self.item == 8:
            _syrk[DType.float64](square, a, function_at[DSYRK]())
            _mirror[DType.float64](p, start, end)
        else:
            _syrk[DType.float32](square, a, function_at[SSYRK]())
            _mirror[DType.float32](p, start, end)

    def multiply(self, p: Product, threads: Int):
        """Multiplies two matrices that BLAS takes.

        The library's own threads wait for each other by spinning, which takes tens of
        milliseconds when other programs need the cores: it gets one thread for each part.
        """
        var work = p.m * p.n * p.k
        if work < _ALONE:
            self.multiply_here(p)
            return
        var tasks = threads if work >= _PARALLEL_WORK else 1
        var by_rows = p.m >= p.n
        tasks = min(tasks, p.m if by_rows else p.n)
        var had = use_threads(1)
        var halved = self._symmetric(p)

        def share(index: Int) {imm}:
            if halved:
                var start = _strip(p, index, tasks)
                self._multiply_strip(p, start, _strip(p, index + 1, tasks))
            else:
                self.multiply_here(p.part(by_rows, index, tasks, self.item))

        parallel_for(share, tasks)
        set_threads(had)


def _strip(p: Product, index: Int, count: Int) -> Int:
    """Start of share `index` of the columns of a triangle, dealt to `count` tasks by its area."""
    return Int(sqrt(Float64(index) / Float64(count)) * Float64(p.m))


def use_threads(most: Int) -> Int:
    """Limits the library's own threads; returns how many it had, to be restored."""
    var had = Int(function[_GetThreads](function_at[GET_THREADS]())())
    set_threads(min(had, most))
    return had


def set_threads(count: Int):
    """Sets how many threads the library uses by itself."""
    function[_SetThreads](function_at[SET_THREADS]())(Int32(count))
