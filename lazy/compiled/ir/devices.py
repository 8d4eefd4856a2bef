"""The devices that graphs are compiled for, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """Where a graph runs: the CPU, or a GPU with the CPU at its side.

    A GPU has a `number` and an `architecture` (MAX's name, as "sm_90a"). A `virtual` one is not
    there: graphs can be compiled for it, but neither loaded nor run.
    """

    kind: str = "cpu"
    number: int = 0
    architecture: str = ""
    virtual: bool = False

    @property
    def is_cpu(self) -> bool:
        """Whether graphs run on the CPU alone."""
        return self.kind == "cpu"

    @property
    def name(self) -> str:
        """The device as users know it: "cpu", "gpu:0" ..."""
        return self.kind if self.is_cpu else f"{self.kind}:{self.number}"

    @property
    def target(self) -> str:
        """What a compile worker has to pretend is there; "" for what is really there.

        A process pretends from its start or not at all.
        """
        return self.architecture if self.virtual else ""

    @property
    def key(self) -> bytes:
        """What the name of an executable says of its device."""
        kind = "virtual" if self.virtual else "real"
        return f"{self.name} {self.architecture} {kind}\n".encode()


CPU = Device()


def virtual_gpu(architecture: str) -> Device:
    """Return a GPU that is not there, for which graphs can be compiled."""
    return Device("gpu", 0, architecture, virtual=True)
