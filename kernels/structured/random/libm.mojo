"""The C library's functions, which NumPy calls: those of the kernels may differ in the last bit."""
from std.ffi import external_call


@always_inline
def log(x: Float64) -> Float64:
    return external_call["log", Float64](x)


@always_inline
def log(x: Float32) -> Float32:
    return external_call["logf", Float32](x)


@always_inline
def log1p(x: Float64) -> Float64:
    return external_call["log1p", Float64](x)


@always_inline
def log1p(x: Float32) -> Float32:
    return external_call["log1pf", Float32](x)


@always_inline
def exp(x: Float64) -> Float64:
    return external_call["exp", Float64](x)


@always_inline
def exp(x: Float32) -> Float32:
    return external_call["expf", Float32](x)


@always_inline
def expm1(x: Float64) -> Float64:
    return external_call["expm1", Float64](x)


@always_inline
def power(x: Float64, y: Float64) -> Float64:
    return external_call["pow", Float64](x, y)


@always_inline
def power(x: Float32, y: Float32) -> Float32:
    return external_call["powf", Float32](x, y)


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
