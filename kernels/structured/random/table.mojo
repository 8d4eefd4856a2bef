"""The table of distributions: their names, how many parameters they have, and how they are drawn."""

comptime FLOAT = 0
"""Floats, in float64, some in float32 too, with up to three parameters of that dtype."""
comptime OLDER_FLOAT = 1
"""The same as the older generator draws them, in float64."""
comptime WHOLE = 2
"""int64, with up to three parameters in float64."""
comptime OLDER_WHOLE = 3
comptime BOUNDED = 4
"""Integers of any dtype between bounds; two parameters, the least and how many more there are."""
comptime MASKED = 5
"""The same as the older generator draws them."""
comptime ROWS = 6
"""Rows of numbers that belong together."""
comptime ORDER = 7
"""Places in a random order."""


comptime _FAMILIES: Array[StaticString, 8] = [
    "float",
    "older_float",
    "whole",
    "older_whole",
    "bounded",
    "masked",
    "rows",
    "order",
]


def family_name(family: Int) -> String:
    """The name of a family."""
    return String(materialize[_FAMILIES]()[family])


struct Distribution(TrivialRegisterPassable):
    """A name, the family by which it is drawn, and the number of its parameters."""

    var name: StaticString
    var family: Int
    var parameters: Int

    def __init__(out self, name: StaticString, family: Int, parameters: Int):
        self.name = name
        self.family = family
        self.parameters = parameters


comptime DISTRIBUTIONS: Array[Distribution, 75] = [
    Distribution("random", FLOAT, 0),
    Distribution("uniform", FLOAT, 2),
    Distribution("standard_normal", FLOAT, 0),
    Distribution("normal", FLOAT, 2),
    Distribution("standard_exponential", FLOAT, 0),
    Distribution("standard_exponential_inv", FLOAT, 0),
    Distribution("exponential", FLOAT, 1),
    Distribution("standard_gamma", FLOAT, 1),
    Distribution("gamma", FLOAT, 2),
    Distribution("beta", FLOAT, 2),
    Distribution("chisquare", FLOAT, 1),
    Distribution("noncentral_chisquare", FLOAT, 2),
    Distribution("f", FLOAT, 2),
    Distribution("noncentral_f", FLOAT, 3),
    Distribution("standard_cauchy", FLOAT, 0),
    Distribution("standard_t", FLOAT, 1),
    Distribution("vonmises", FLOAT, 2),
    Distribution("pareto", FLOAT, 1),
    Distribution("weibull", FLOAT, 1),
    Distribution("power", FLOAT, 1),
    Distribution("laplace", FLOAT, 2),
    Distribution("gumbel", FLOAT, 2),
    Distribution("logistic", FLOAT, 2),
    Distribution("lognormal", FLOAT, 2),
    Distribution("rayleigh", FLOAT, 1),
    Distribution("wald", FLOAT, 2),
    Distribution("triangular", FLOAT, 3),
    Distribution("standard_normal", OLDER_FLOAT, 0),
    Distribution("normal", OLDER_FLOAT, 2),
    Distribution("standard_exponential", OLDER_FLOAT, 0),
    Distribution("exponential", OLDER_FLOAT, 1),
    Distribution("standard_gamma", OLDER_FLOAT, 1),
    Distribution("gamma", OLDER_FLOAT, 2),
    Distribution("beta", OLDER_FLOAT, 2),
    Distribution("chisquare", OLDER_FLOAT, 1),
    Distribution("noncentral_chisquare", OLDER_FLOAT, 2),
    Distribution("f", OLDER_FLOAT, 2),
    Distribution("noncentral_f", OLDER_FLOAT, 3),
    Distribution("standard_cauchy", OLDER_FLOAT, 0),
    Distribution("standard_t", OLDER_FLOAT, 1),
    Distribution("vonmises", OLDER_FLOAT, 2),
    Distribution("pareto", OLDER_FLOAT, 1),
    Distribution("weibull", OLDER_FLOAT, 1),
    Distribution("power", OLDER_FLOAT, 1),
    Distribution("lognormal", OLDER_FLOAT, 2),
    Distribution("rayleigh", OLDER_FLOAT, 1),
    Distribution("wald", OLDER_FLOAT, 2),
    Distribution("poisson", WHOLE, 1),
    Distribution("binomial", WHOLE, 2),
    Distribution("negative_binomial", WHOLE, 2),
    Distribution("geometric", WHOLE, 1),
    Distribution("hypergeometric", WHOLE, 3),
    Distribution("zipf", WHOLE, 1),
    Distribution("logseries", WHOLE, 1),
    Distribution("positive", WHOLE, 0),
    Distribution("raw", WHOLE, 0),
    Distribution("binomial", OLDER_WHOLE, 2),
    Distribution("negative_binomial", OLDER_WHOLE, 2),
    Distribution("geometric", OLDER_WHOLE, 1),
    Distribution("hypergeometric", OLDER_WHOLE, 3),
    Distribution("zipf", OLDER_WHOLE, 1),
    Distribution("logseries", OLDER_WHOLE, 1),
    Distribution("integers", BOUNDED, 2),
    Distribution("integers", MASKED, 2),
    Distribution("multinomial", ROWS, 2),
    Distribution("older_multinomial", ROWS, 2),
    Distribution("dirichlet", ROWS, 1),
    Distribution("sparse_dirichlet", ROWS, 1),
    Distribution("older_dirichlet", ROWS, 1),
    Distribution("hypergeometric_marginals", ROWS, 2),
    Distribution("hypergeometric_count", ROWS, 2),
    Distribution("shuffled", ORDER, 0),
    Distribution("chosen", ORDER, 0),
    Distribution("corrected_binomial", WHOLE, 2),
    Distribution("corrected_multinomial", ROWS, 2),
]
"""All distributions; the number of one is its index. Grows at the end only."""


def is_older(family: Int) -> Bool:
    """Whether a family is of the older generator alone."""
    return family == OLDER_FLOAT or family == OLDER_WHOLE or family == MASKED
