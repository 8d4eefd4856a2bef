"""Plans of recent Fourier transforms, kept for the next ones.

Who uses a plan takes it out of the cache and puts it back afterwards, so that no two threads ever
have the same one and no lock is needed: a thread that finds a place empty makes a plan of its own.
"""
from std.atomic import Atomic
from std.ffi import _Global

from structured.fourier.plan import Plan
from structured.operands.memory import release

comptime _PLACES = 16
comptime _LARGEST = 1 << 23
"""Bytes of a plan from which on making it costs little against using it, and it is not kept."""


struct Places(Movable):
    """The addresses of plans, 0 where there is none, and a counter."""

    var plans: Array[Int, _PLACES]
    var next: Array[Int, 1]
    """Which place gives way to a new plan, modulo _PLACES."""

    def __init__(out self):
        self.plans = Array[Int, _PLACES](fill=0)
        self.next = Array[Int, 1](fill=0)


def _no_plans() -> Places:
    return Places()


comptime _CACHE = _Global["jujunp_fourier_plans", _no_plans]


@always_inline
def _exchange[
    origin: MutOrigin, //
](at: Pointer[Int, origin], value: Int) -> Int:
    """Writes a value; returns the one that was there."""
    var seen = Atomic[Int].load(at)
    while not Atomic[Int].compare_exchange(at, seen, value):
        pass
    return seen


def take_plan(length: Int, lanes: Int, packed: Bool) -> Int:
    """Takes a plan out of the cache; 0 where there is none that fits."""
    try:
        var cache = _CACHE.get_or_create_ptr()
        for place in range(_PLACES):
            var at = Pointer(to=cache[].plans[place])
            if Atomic[Int].load(at) == 0:
                continue
            var found = _exchange(at, 0)
            if found == 0 or Plan(found).fits(length, lanes, packed):
                if found != 0:
                    return found
                continue
            release(_exchange(at, found))
    except:
        pass
    return 0


def keep_plan(address: Int):
    """Puts a plan into the cache, or releases it where it is too large to be kept."""
    if Plan(address).bytes() > _LARGEST:
        release(address)
        return
    try:
        var cache = _CACHE.get_or_create_ptr()
        for place in range(_PLACES):
            var empty = 0
            var at = Pointer(to=cache[].plans[place])
            if Atomic[Int].compare_exchange(at, empty, address):
                return
        var place = Atomic[Int].fetch_add(Pointer(to=cache[].next[0]), 1)
        var at = Pointer(to=cache[].plans[place % _PLACES])
        release(_exchange(at, address))
    except:
        release(address)
