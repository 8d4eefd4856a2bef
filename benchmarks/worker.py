"""Measures one case with one contender: `python -m benchmarks.worker CASE CONTENDER`."""

import sys

from benchmarks.cases import CASES
from benchmarks.contenders import CONTENDERS


def main() -> None:
    """Print the number."""
    _, name, contender = sys.argv
    case = CASES[name]
    print(case.measure(case, CONTENDERS[contender]))


if __name__ == "__main__":
    main()
