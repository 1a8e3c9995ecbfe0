"""The files of outcome tables: small, equal for equal tables, and read without trust.

A file is a zip of two members: ``header.json``, what the table is of, and ``counts.npy``. The
latter holds, for each bid, *tails*: how many layouts miss it by d or more. A layout that misses
bid 0 by t, because its declarer cannot help taking t tricks, misses bid b by t - b, and one that
misses bid 6 by t misses bid b by t - (6 - b). With best play hardly a layout misses a bid by 2 or
more for another reason, so of the tails of bids 1..5 only what these two leave unexplained is
stored: mostly zeros. Any counts can be stored so; those of double dummy halve.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.core.files import write_bytes
from bidwise.envs.pyramid.rules import NUM_BIDS

__all__ = ["NUM_DISTANCES", "decode", "encode", "read_table", "write_table"]

NUM_DISTANCES = 7
"""A bid is missed by 0..6 tricks."""

_FORMAT, _VERSION = "bidwise outcomes", 1
_HEADER, _COUNTS = "header.json", "counts.npy"
_LARGEST = 2**24
"""Bytes of a member; the largest table has fewer than half."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ARRAY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([|<>][iu][1248])', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,8}, ?){1,4}(?:\d{1,8})?)\), \} *\n",
    re.DOTALL,
)
"""How an array's bytes begin. NumPy's own reader would evaluate what stands there and allocate
what it asks for."""


def write_table(path: Path, header: Mapping[str, Any], counts: NDArray[Any]) -> None:
    """Write a table whole or not at all; folders are made as needed.

    Args:
        header: what the table is of, as JSON can hold it.
        counts: (2, rows, 7, 7), see :func:`encode`.
    """
    marked = {"format": _FORMAT, "version": _VERSION, **header}
    text = json.dumps(marked, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    array = io.BytesIO()
    np.lib.format.write_array(array, encode(counts), allow_pickle=False)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as file:
        for name, data in ((_HEADER, text.encode()), (_COUNTS, array.getvalue())):
            # A ZipInfo's own date is 1980: no time stamp.
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    write_bytes(path, whole.getvalue())


def read_table(path: Path) -> tuple[dict[str, Any], NDArray[Any]]:
    """A file's header, and its counts as they are stored; nothing in it is ever executed.

    Raises:
        ValueError: a file that is no outcome table or is damaged; it says why.
        OSError: a file that cannot be read.
    """
    with path.open("rb") as whole:
        content = whole.read(2 * _LARGEST + 1)
    if len(content) > 2 * _LARGEST:
        raise ValueError(f"no outcome table: it has more than {2 * _LARGEST:,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            text, data = _member(file, _HEADER), _member(file, _COUNTS)
    # What zipfile raises of damaged files; RuntimeError where they claim to be encrypted.
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError) as error:
        raise ValueError(f"no outcome table: {error}") from None
    try:
        header = json.loads(text.decode("utf-8"))
    except RecursionError:
        raise ValueError(f"no outcome table: {_HEADER} is nested too deeply") from None
    if not isinstance(header, dict) or header.pop("format", None) != _FORMAT:
        raise ValueError(f"no outcome table: its format is not {_FORMAT!r}")
    version = header.pop("version", None)
    if version != _VERSION:
        raise ValueError(f"version {version!r} is not {_VERSION}")
    return header, _array(data)


def _member(file: zipfile.ZipFile, name: str) -> bytes:
    try:
        info = file.getinfo(name)
    except KeyError:
        raise ValueError(f"no outcome table: it has no {name}") from None
    if info.file_size > _LARGEST:
        raise ValueError(f"no outcome table: {name} has {info.file_size:,} bytes")
    if info.compress_type not in _METHODS:
        raise ValueError(f"no outcome table: {name} is compressed in another way")
    return file.read(info)


def _array(data: bytes) -> NDArray[Any]:
    """The array of numbers that ``numpy.lib.format.write_array`` wrote."""
    head = _ARRAY.match(data)
    if head is None:
        raise ValueError(f"no outcome table: {_COUNTS} is no array of numbers")
    kind = np.dtype(head[1].decode())
    shape = tuple(int(size) for size in head[2].split(b",") if size.strip())
    if math.prod(shape) * kind.itemsize != len(data) - head.end():
        raise ValueError(f"no outcome table: {_COUNTS} has not the bytes of shape {shape}")
    return np.frombuffer(data, kind, offset=head.end()).reshape(shape)


def _explained() -> Iterator[tuple[int, int, int, int]]:
    """``(bid, d, other bid, d there)`` where a tail is part of another; d from 1."""
    for bid in range(1, NUM_BIDS - 1):
        for d in range(1, NUM_DISTANCES):
            if bid + d < NUM_DISTANCES:
                yield bid, d, 0, bid + d
            if bid - d >= 0:
                yield bid, d, NUM_BIDS - 1, NUM_BIDS - 1 - bid + d


def encode(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts (2, rows, 7, 7), unsigned, as they are stored: (7, 6, rows, 2) of the same type, by
    bid and distance 1..6; what would be negative wraps around."""
    tails = counts[..., :0:-1].cumsum(axis=-1, dtype=counts.dtype)[..., ::-1]
    coded = np.ascontiguousarray(tails.transpose(2, 3, 1, 0))
    for bid, d, other, there in _explained():
        coded[bid, d - 1] -= coded[other, there - 1]
    return coded


def decode(stored: NDArray[Any], half: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Counts (2, rows, 7, 7) of a type from what :func:`encode` made of them.

    Args:
        stored: (7, 6, rows, 2).
        half: what each (fold, row, bid) sums to.

    Raises:
        ValueError: an array that is no such thing.
    """
    coded = stored.copy()
    if coded.dtype != kind or coded.shape[:2] + coded.shape[3:] != (NUM_BIDS, NUM_DISTANCES - 1, 2):
        raise ValueError(f"counts: stored as {coded.dtype} of shape {coded.shape}")
    for bid, d, other, there in _explained():
        coded[bid, d - 1] += coded[other, there - 1]
    if (coded[:, 0] > half).any() or (coded[:, 1:] > coded[:, :-1]).any():
        raise ValueError(f"counts: what is stored are no tails of {half} layouts")
    # Plane by plane, and turned once: strided writes are slow.
    planes = np.empty((NUM_BIDS, NUM_DISTANCES, *coded.shape[2:]), kind)
    planes[:, 0] = half - coded[:, 0]
    planes[:, 1:-1] = coded[:, :-1] - coded[:, 1:]
    planes[:, -1] = coded[:, -1]
    return np.ascontiguousarray(planes.transpose(3, 2, 0, 1))
