"""Who answers ufuncs, or wraps what they give: operands of classes that have a say."""
