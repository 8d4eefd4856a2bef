"""Messages between the process that records and the compile worker: pickles over a pipe."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ir.devices import CPU

if TYPE_CHECKING:
    from typing import IO

    from ..ir.devices import Device
    from ..ir.graph_ir import GraphIR

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Batch:
    """IRs to compile into one module, for one device."""

    irs: tuple[GraphIR, ...]
    device: Device = CPU


@dataclass(frozen=True)
class Compiled:
    """A module, and the numbers (in the batch) of the IRs in it, in its order.

    `refused` says of other IRs why no graph could be built for them.
    """

    mef: bytes
    numbers: tuple[int, ...]
    refused: dict[int, str]


@dataclass(frozen=True)
class Failed:
    """MAX refused the whole batch; it does not say which IR is at fault."""

    text: str


@dataclass(frozen=True)
class Unable:
    """The worker can compile nothing at all."""

    text: str


Reply = Compiled | Failed | Unable


def send(file: IO[bytes], message: Batch | Reply) -> None:
    """Write one message; OSError if nobody reads."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    file.write(_LENGTH.pack(len(body)) + body)
    file.flush()


def receive(file: IO[bytes]) -> Batch | Reply:
    """Read one message; EOFError if the other side is gone."""
    head = file.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    body = file.read(length)
    if len(body) < length:
        raise EOFError
    message: Batch | Reply = pickle.loads(body)
    return message
