"""NumPy's own, under its own names: dtypes, constants, printing, files, error states."""

from numpy import (
    bool as bool,
)
from numpy import (
    bool_ as bool_,
)
from numpy import (
    byte as byte,
)
from numpy import (
    complex64 as complex64,
)
from numpy import (
    complex128 as complex128,
)
from numpy import (
    complexfloating as complexfloating,
)
from numpy import (
    double as double,
)
from numpy import (
    dtype as dtype,
)
from numpy import (
    e as e,
)
from numpy import (
    euler_gamma as euler_gamma,
)
from numpy import (
    exceptions as exceptions,
)
from numpy import (
    float16 as float16,
)
from numpy import (
    float32 as float32,
)
from numpy import (
    float64 as float64,
)
from numpy import (
    floating as floating,
)
from numpy import (
    generic as generic,
)
from numpy import (
    get_printoptions as get_printoptions,
)
from numpy import (
    geterr as geterr,
)
from numpy import (
    geterrcall as geterrcall,
)
from numpy import (
    half as half,
)
from numpy import (
    index_exp as index_exp,
)
from numpy import (
    inexact as inexact,
)
from numpy import (
    inf as inf,
)
from numpy import (
    int8 as int8,
)
from numpy import (
    int16 as int16,
)
from numpy import (
    int32 as int32,
)
from numpy import (
    int64 as int64,
)
from numpy import (
    int_ as int_,
)
from numpy import (
    intc as intc,
)
from numpy import (
    integer as integer,
)
from numpy import (
    intp as intp,
)
from numpy import (
    long as long,
)
from numpy import (
    longlong as longlong,
)
from numpy import (
    nan as nan,
)
from numpy import (
    newaxis as newaxis,
)
from numpy import (
    number as number,
)
from numpy import (
    pi as pi,
)
from numpy import (
    printoptions as printoptions,
)
from numpy import (
    s_ as s_,
)
from numpy import (
    save as save,
)
from numpy import (
    savetxt as savetxt,
)
from numpy import (
    savez as savez,
)
from numpy import (
    savez_compressed as savez_compressed,
)
from numpy import (
    set_printoptions as set_printoptions,
)
from numpy import (
    seterrcall as seterrcall,
)
from numpy import (
    short as short,
)
from numpy import (
    signedinteger as signedinteger,
)
from numpy import (
    single as single,
)
from numpy import (
    ubyte as ubyte,
)
from numpy import (
    uint as uint,
)
from numpy import (
    uint8 as uint8,
)
from numpy import (
    uint16 as uint16,
)
from numpy import (
    uint32 as uint32,
)
from numpy import (
    uint64 as uint64,
)
from numpy import (
    uintc as uintc,
)
from numpy import (
    uintp as uintp,
)
from numpy import (
    ulong as ulong,
)
from numpy import (
    ulonglong as ulonglong,
)
from numpy import (
    unsignedinteger as unsignedinteger,
)
from numpy import (
    ushort as ushort,
)
