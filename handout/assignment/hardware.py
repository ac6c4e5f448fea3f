"""Loads `hardware.toml`: accelerators, their peaks, bandwidths and capacities."""

from __future__ import annotations

import functools
import math
import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

HARDWARE = Path(__file__).parent / "hardware.toml"
LOCAL = HARDWARE.with_name("hardware.local.toml")  # accelerators of this machine; not committed

Dtype = Literal["fp32", "tf32", "bf16", "fp16", "fp8", "fp4"]


class HardwareError(Exception):
    """The table cannot be used; the message names the entry and what to do."""


class Accelerator(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Numbers of a datasheet: dense FLOP/s by dtype, B/s, and bytes of memory.

    `names` are names that the device may report, with enough words to distinguish it from others.
    """

    names: tuple[str, ...]
    peak_flops: dict[Dtype, float]
    bandwidth: float
    capacity: int

    def peak(self, dtype: str) -> float:
        """Dense FLOP/s of matrix products in a dtype; raises HardwareError if there is none."""
        for known, flops in self.peak_flops.items():  # its keys are literals: mypy allows no other
            if known == dtype:
                return flops
        raise HardwareError(
            f"{self.names[0]} has no peak for {dtype!r}; it has one for "
            + ", ".join(self.peak_flops)
        )


class Hardware(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The accelerators by their keys, in the order of the file."""

    accelerator: dict[str, Accelerator]

    def __getitem__(self, key: str) -> Accelerator:
        if key not in self.accelerator:
            raise HardwareError(
                f"no accelerator has the key {key!r}; the keys are: " + ", ".join(self.accelerator)
            )
        return self.accelerator[key]

    def reported(self, device_name: str) -> Accelerator:
        """The entry that has a device's name, as its driver reports it.

        A name fits if all its words are among the device's: "A100 80GB PCIe" fits "NVIDIA A100 80GB
        PCIe", but "L4" does not fit "NVIDIA L40S". The fitting name with the most words decides.
        Raises HardwareError if none fits, or those of several entries fit equally well.
        """
        device = _words(device_name)
        fitting = [
            (len(words), key)
            for key, entry in self.accelerator.items()
            for words in map(_words, entry.names)
            if words <= device
        ]
        best = {key for count, key in fitting if count == max(fitting)[0]}
        if len(best) != 1:
            said = f"may be any of {sorted(best)}" if best else "is not in the table"
            raise HardwareError(f"{device_name!r} {said}; add its words to the names of one entry")
        return self[best.pop()]


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))


def parse(text: str, source: str = "hardware.toml", local: str = "") -> Hardware:
    """Reads a table and validates it; raises HardwareError if it is not valid.

    Entries of `local`, the text of a second table, are added to the first or replace its entries.
    """
    try:
        table = tomllib.loads(text)
        hardware = msgspec.convert(table, Hardware)
        if local:
            own = msgspec.convert(tomllib.loads(local), dict[str, dict[str, Any]])
            table = {"accelerator": {**table["accelerator"], **own.pop("accelerator", {})}, **own}
            hardware = msgspec.convert(table, Hardware)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise HardwareError(f"{source}: {error}") from error
    owners: dict[str, str] = {}
    for key, entry in hardware.accelerator.items():
        where = f"{source}: accelerator {key!r}"
        if not entry.names:
            raise HardwareError(f"{where} has no names; add the name that the device reports")
        for name in entry.names:
            if not any(letter.isalnum() for letter in name):
                raise HardwareError(f"{where} has the name {name!r}, which contains no word")
            if (owner := owners.setdefault(name.lower(), key)) != key:
                raise HardwareError(
                    f"{where} has the name {name!r}, and so does {owner!r}; "
                    "add words that distinguish them"
                )
        if not entry.peak_flops:
            raise HardwareError(f"{where} has no peak_flops; add at least one dtype")
        numbers = {f"peak_flops.{dtype}": flops for dtype, flops in entry.peak_flops.items()}
        numbers |= {"bandwidth": entry.bandwidth, "capacity": entry.capacity}
        for name, number in numbers.items():
            if not 0 < number < math.inf:
                raise HardwareError(f"{where}: expected a positive {name}, got {number}")
    return hardware


@functools.cache
def load() -> Hardware:
    """The table beside this file, with the entries of `hardware.local.toml` if it exists."""
    text = HARDWARE.read_text(encoding="utf-8")
    if not LOCAL.is_file():
        return parse(text)
    return parse(text, f"{HARDWARE.name} and {LOCAL.name}", LOCAL.read_text(encoding="utf-8"))
