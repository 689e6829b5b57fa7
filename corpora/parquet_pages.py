"""The sizes of a Parquet column chunk, read from its page headers without decoding a value.

The sizes in a file's metadata are claims that no reader checks. A page header's size is checked by every reader when
the page is decompressed, so the sum over the pages holds. What a page does not show is how often a long value of the
dictionary is repeated; `longest` bounds it.

Tried instead: to decode in a process of limited memory. It takes 0.3 s of processor time a file, and a limit of 512 MB
or more to import Arrow at all; looking at the page headers takes 0.5 ms a file of a run, which has thousands of them.
And whoever takes the rows from that process would have to bound them just the same.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_DELTA_BYTE_ARRAY = 7
_LONGEST_HEADER = 1 << 20
"""Bytes; a page header contains statistics, whose values may be long."""
_DEEPEST = 8
_CODECS = {
    "SNAPPY": "snappy", "GZIP": "gzip", "BROTLI": "brotli", "ZSTD": "zstd", "LZ4_RAW": "lz4_raw"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """What a column chunk takes when it is decoded."""

    n_values: int
    """Values, nulls and empty lists; at least one for each row."""
    n_bytes: int
    """Bytes of all its pages, decompressed."""
    longest: int
    """Bytes of the longest value in its dictionary, or a bound on it; 0 without a dictionary."""


def chunk_size(file: BinaryIO, column: Any, limit: int, *, looks_inside: bool = True) -> ChunkSize:
    """The size of a column chunk, given by its metadata. Reading stops once a sum exceeds `limit` bytes.

    Without `looks_inside`, `longest` is the size of the dictionary, which needs no decompression. Raises ValueError for
    damaged headers, and for an encoding whose decoded size cannot be bounded.
    """
    start = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < start:
        start = column.dictionary_page_offset
    end = start + column.total_compressed_size
    n_values = n_bytes = longest = 0
    while start < end and n_values < column.num_values:
        header, length = _page_header(file, start)
        n_compressed, size = header.get(3), header.get(2)
        if not (isinstance(n_compressed, int) and isinstance(size, int) and n_compressed >= 0 and size >= 0):
            raise ValueError("a page header has no sizes")
        n_bytes += size
        kind = header.get(1)
        if kind == _DICTIONARY and n_bytes <= limit:
            n_in_dictionary = _number(header.get(7), 1)
            if looks_inside:
                file.seek(start + length)
                size = _longest_value(file.read(n_compressed), size, n_in_dictionary, column)
            longest = max(longest, size if column.physical_type == "BYTE_ARRAY" else 0)
        elif kind in (_DATA, _DATA_V2):
            page = header.get(5 if kind == _DATA else 8)
            n_values += _number(page, 1)
            if _number(page, 2 if kind == _DATA else 4) == _DELTA_BYTE_ARRAY:
                raise ValueError("its encoding DELTA_BYTE_ARRAY does not bound its decoded size")
        if n_bytes > limit or n_values > limit:
            break
        start += length + n_compressed
    return ChunkSize(n_values, n_bytes, longest)


def _number(fields: Any, name: int) -> int:
    value = fields.get(name) if isinstance(fields, dict) else None
    if not isinstance(value, int) or value < 0:
        raise ValueError("a page header has no number of values")
    return value


def _longest_value(data: bytes, size: int, n: int, column: Any) -> int:
    """Bytes of the longest value of a dictionary page; `size`, its own size, where it cannot be looked into."""
    if column.physical_type != "BYTE_ARRAY":
        return 0
    if column.compression != "UNCOMPRESSED":
        if column.compression not in _CODECS:
            return size
        import pyarrow as pa

        try:
            data = pa.Codec(_CODECS[column.compression]).decompress(data, size, asbytes=True)
        except (pa.ArrowException, OSError, ValueError):
            return size
    longest = at = 0
    for _ in range(n):
        if at + 4 > len(data):
            break
        (length,) = struct.unpack_from("<I", data, at)
        longest = max(longest, length)
        at += 4 + length
    return min(longest, size)


def _page_header(file: BinaryIO, start: int) -> tuple[dict[int, Any], int]:
    """The fields of the page header at that byte, and its length. Raises ValueError."""
    n = 256
    while True:
        file.seek(start)
        data = file.read(n)
        try:
            header, length = _fields(data, 0, 0)
        except IndexError:  # The bytes end within the header.
            if len(data) < n or n >= _LONGEST_HEADER:
                raise ValueError("a page header is cut short") from None
            n *= 16
        else:
            return header, length


# The compact encoding of Thrift: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md


def _fields(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """The fields of a structure by number, and the position after it. Raises IndexError where the bytes end."""
    if depth > _DEEPEST:
        raise ValueError("a page header is nested too deeply")
    found: dict[int, Any] = {}
    name = 0
    while head := data[at]:
        at += 1
        kind, step = head & 15, head >> 4
        if step:
            name += step
        else:
            name, at = _zigzag(data, at)
        if kind in (1, 2):
            found[name] = kind == 1
        elif kind in (4, 5, 6) and (byte := data[at]) < 128:  # Most numbers are small; this is called very often.
            found[name], at = byte >> 1 ^ -(byte & 1), at + 1
        else:
            found[name], at = _value(data, at, kind, depth)
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2, 3):
        return data[at], at + 1
    if kind in (4, 5, 6):
        return _zigzag(data, at)
    if kind == 7:
        return None, at + 8
    if kind == 8:
        length, at = _varint(data, at)
        return None, at + length
    if kind in (9, 10):
        head, at = data[at], at + 1
        n, at = (head >> 4, at) if head >> 4 < 15 else _varint(data, at)
        for _ in range(n):
            _, at = _value(data, at, head & 15, depth + 1)
            if at > len(data):
                raise IndexError
        return None, at
    if kind == 12:
        return _fields(data, at, depth + 1)
    raise ValueError("a page header has a field of an unknown type")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a page header has a number that is too long")


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at
