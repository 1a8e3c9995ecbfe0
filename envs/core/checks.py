"""Checks that the rules dataclasses share: every refusal names the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = [
    "check_choice",
    "check_flag",
    "check_int",
    "check_names",
    "presets_of",
    "rules_from_fields",
]


def check_choice(field: str, value: object, choices: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{field}: {value!r} is not one of {', '.join(choices)}")


def check_flag(field: str, value: object) -> None:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{field}: expected True or False, got {value!r}")


def check_int(field: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ValueError(f"{field}: expected a whole number, got {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{field}: {value} is not in {low}..{high}")


def presets_of(presets: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Any]:
    """The values in which a preset differs from the defaults."""
    if name not in presets:
        raise ValueError(f"rules: preset {name!r} is not one of {', '.join(presets)}")
    return dict(presets[name])


def rules_from_fields(cls: Any, fields: Mapping[str, Any]) -> Any:
    """A rules dataclass from a mapping such as a JSON object; unknown fields are refused."""
    known = cls.__dataclass_fields__
    for name in fields:
        if name not in known:
            raise ValueError(f"rules: field {name!r} is not one of {', '.join(known)}")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
    return cls(**values)


def check_names(given: Sequence[str], known: Sequence[str], what: str) -> None:
    """Refuse a name that nobody knows."""
    for name in given:
        if name not in known:
            raise ValueError(f"{what}: {name!r} is not one of {', '.join(known)}")
