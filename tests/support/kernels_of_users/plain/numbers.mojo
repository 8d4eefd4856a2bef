def negative_or_zero[dtype: DType, //](x: Scalar[dtype]) -> Bool:
    """Returns whether a number is not above zero."""
    return x <= 0
