def wrong() -> Int:
    return not_defined
