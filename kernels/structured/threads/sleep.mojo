"""Threads that wait for one another: what only one may do at a time, and sleep until it is time."""
from std.atomic import Atomic
from std.ffi import external_call

comptime _SIZE = 64
"""Bytes of a mutex or of a condition variable, on any system."""


def _zeros() -> Int:
    return external_call["calloc", Int](Int(1), Int(_SIZE))


struct Mutex(TrivialRegisterPassable):
    """A lock that lives as long as the process."""

    var address: Int

    def __init__(out self):
        self.address = _zeros()
        _ = external_call["pthread_mutex_init", Int32](self.address, Int(0))

    def lock(self):
        _ = external_call["pthread_mutex_lock", Int32](self.address)

    def unlock(self):
        _ = external_call["pthread_mutex_unlock", Int32](self.address)


struct Bell(TrivialRegisterPassable):
    """Where threads sleep until what they wait for may have happened; it lives like a mutex.

    Who sleeps looks between `enter` and `leave`, in a loop around `sleep`. Who rings has made it
    happen before.
    """

    var mutex: Mutex
    var condition: Int
    var sleepers: Pointer[Atomic[Int64], MutUntrackedOrigin]

    def __init__(out self):
        self.mutex = Mutex()
        self.condition = _zeros()
        self.sleepers = {unsafe_from_address = _zeros()}
        _ = external_call["pthread_cond_init", Int32](self.condition, Int(0))

    def enter(self):
        """From here on who rings waits until this thread sleeps or leaves."""
        self.mutex.lock()
        _ = self.sleepers[].fetch_add(1)

    def sleep(self):
        """Sleeps until somebody rings, or for no reason."""
        _ = external_call["pthread_cond_wait", Int32](
            self.condition, self.mutex.address
        )

    def leave(self):
        """Ends what `enter` began."""
        _ = self.sleepers[].fetch_sub(1)
        self.mutex.unlock()

    def ring(self):
        """Wakes all who sleep."""
        if self.sleepers[].load() == 0:
            return
        self.mutex.lock()
        self.mutex.unlock()
        _ = external_call["pthread_cond_broadcast", Int32](self.condition)
