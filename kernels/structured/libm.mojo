"""The C library's functions, which NumPy calls: those of the kernels may differ in the last bit."""
from std.ffi import external_call


@always_inline
def log[dtype: DType, //](x: Scalar[dtype]) -> Scalar[dtype]:
    comptime if dtype == DType.float32:
        return external_call["logf", Scalar[dtype]](x)
    else:
        return external_call["log", Scalar[dtype]](x)


@always_inline
def log1p[dtype: DType, //](x: Scalar[dtype]) -> Scalar[dtype]:
    comptime if dtype == DType.float32:
        return external_call["log1pf", Scalar[dtype]](x)
    else:
        return external_call["log1p", Scalar[dtype]](x)


@always_inline
def exp[dtype: DType, //](x: Scalar[dtype]) -> Scalar[dtype]:
    comptime if dtype == DType.float32:
        return external_call["expf", Scalar[dtype]](x)
    else:
        return external_call["exp", Scalar[dtype]](x)


@always_inline
def power[
    dtype: DType, //
](x: Scalar[dtype], y: Scalar[dtype]) -> Scalar[dtype]:
    comptime if dtype == DType.float32:
        return external_call["powf", Scalar[dtype]](x, y)
    else:
        return external_call["pow", Scalar[dtype]](x, y)


@always_inline
def expm1(x: Float64) -> Float64:
    return external_call["expm1", Float64](x)


@always_inline
def cos(x: Float64) -> Float64:
    return external_call["cos", Float64](x)


@always_inline
def acos(x: Float64) -> Float64:
    return external_call["acos", Float64](x)


@always_inline
def remainder(x: Float64, y: Float64) -> Float64:
    """What is left of x, with its sign, when y is taken off as often as it goes."""
    return external_call["fmod", Float64](x, y)


@always_inline
def hypot[
    dtype: DType, //
](x: Scalar[dtype], y: Scalar[dtype]) -> Scalar[dtype]:
    comptime if dtype == DType.float32:
        return external_call["hypotf", Scalar[dtype]](x, y)
    else:
        return external_call["hypot", Scalar[dtype]](x, y)
