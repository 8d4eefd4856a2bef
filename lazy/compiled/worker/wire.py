"""Messages between the process that records and the compile worker: pickles over a pipe."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ir.devices import CPU

if TYPE_CHECKING:
    from typing import IO

    from ..ir.devices import Device
    from ..ir.graph_ir import GraphIR
    from .snapshot import Snapshot

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Batch:
    """What to compile into one module, for one device: IRs, and steps to make IRs of."""

    graphs: tuple[GraphIR | Snapshot, ...]
    device: Device = CPU


@dataclass(frozen=True)
class Compiled:
    """A module, and the numbers (in the batch) of the graphs in it, in its order.

    `refused` says of others why they could not be built, `unsupported` why steps have no graph.
    """

    mef: bytes
    numbers: tuple[int, ...]
    refused: dict[int, str]
    unsupported: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """MAX refused the whole batch; it does not say which graph is at fault."""

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
