"""Verdicts as columns of Apache Arrow, for the engines that keep receipts in tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from ._result import SHOWN_SIZE, shown
from ._verifier import Verifier, policy_json

Policy = Mapping[str, Any] | str | bytes
"""The contents of a policy file: a dict, or JSON. It names no files; see :func:`receiptverify.load_policy`."""

_TIME = pa.timestamp("us", tz="UTC")

VERDICT = pa.struct([
    pa.field("verdict", pa.string(), nullable=False),
    ("code", pa.string()), ("explanation", pa.string()), ("kind", pa.string()), ("bundleId", pa.string()),
    ("productId", pa.string()), ("transactionId", pa.string()), ("originalTransactionId", pa.string()),
    ("environment", pa.string()), ("signedDate", _TIME), ("expiresDate", _TIME), ("revocationDate", _TIME),
    ("payload", pa.string()),
])
"""The columns of a verdict. ``payload`` is JSON, and null unless payloads are asked for."""

_READ = pa.schema([
    *(pa.field(field.name, field.type) for field in VERDICT if field.name not in ("explanation", "payload")),
    ("message", pa.string()), ("expected", pa.string()), ("actual", pa.string()), ("certificate", pa.int64()),
])

_verifiers: dict[bytes, Verifier] = {}
_VERIFIER_COUNT = 16


def shared_verifier(policy: Policy) -> Verifier:
    """Returns the verifier of this process for a policy, so that its cache of keys is filled once."""
    key = canonical(policy)
    verifier = _verifiers.get(key)
    if verifier is None:
        if len(_verifiers) >= _VERIFIER_COUNT:
            _verifiers.pop(next(iter(_verifiers)), None)
        # Two threads that come here at once make two, and one of them stays.
        verifier = _verifiers.setdefault(key, Verifier(key))
    return verifier


def canonical(policy: Policy) -> bytes:
    """Returns the JSON of a policy."""
    if isinstance(policy, Mapping):
        return policy_json(policy).encode()
    if not isinstance(policy, str | bytes):
        raise TypeError(
            f"a policy is a dict or JSON, not {type(policy).__name__}; for a file, use receiptverify.load_policy(path)")
    return policy.encode() if isinstance(policy, str) else policy


def verdicts(receipts: pa.Array | pa.ChunkedArray, verifier: Verifier, *, payload: bool, jobs: int) -> pa.Array:
    """Returns one verdict for each element of a column of text or bytes, in its order.

    Null and blank elements are ``undecided`` with the code ``empty``, as in ``verify-receipt batch --every-record``.
    """
    if not _is_text(receipts.type):
        raise TypeError(f"a column of receipts has text or bytes, not {receipts.type}")
    parts = [_read(results, payload) for results in _results(receipts, verifier, payload, jobs)]
    return pa.concat_arrays(parts) if parts else pa.array([], VERDICT)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return kind in (
        pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(), pa.null())


ROW_COUNT = 2_048
"""The rows of one call: enough to share its costs, and few enough that their lines need little memory."""


def _results(
    receipts: pa.Array | pa.ChunkedArray, verifier: Verifier, payload: bool, jobs: int
) -> Iterator[bytes]:
    for chunk in receipts.chunks if isinstance(receipts, pa.ChunkedArray) else [receipts]:
        for start in range(0, len(chunk), ROW_COUNT):
            rows = chunk.slice(start, ROW_COUNT)
            yield verifier.verify_rows([row or "" for row in rows.to_pylist()], jobs=jobs, payloads=payload)


def _read(results: bytes, payload: bool) -> pa.Array:
    """Reads lines of results."""
    options = pj.ParseOptions(explicit_schema=_READ, unexpected_field_behavior="ignore")
    # A line must fit into a block; a result with a payload can be longer than the default block.
    table = pj.read_json(
        pa.BufferReader(results), pj.ReadOptions(block_size=len(results) + 1), options).combine_chunks()
    columns = {name: _array(table.column(name)) for name in _READ.names}
    columns["explanation"] = _explanation(columns)
    columns["payload"] = _payloads(results) if payload else pa.nulls(table.num_rows, pa.string())
    return pa.StructArray.from_arrays([columns[field.name] for field in VERDICT], fields=list(VERDICT))


def _array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _explanation(columns: Mapping[str, pa.Array]) -> pa.Array:
    def after(text: str, name: str, end: str = "") -> pa.Array:
        column = columns[name].cast(pa.string())
        if pc.any(pc.greater(pc.utf8_length(column), SHOWN_SIZE)).as_py() or not pc.all(
                pc.utf8_is_printable(column), min_count=0).as_py():
            column = pa.array([None if text is None else shown(text) for text in column.to_pylist()], pa.string())
        return pc.coalesce(pc.binary_join_element_wise(text, column, end, ""), pa.scalar(""))

    text = pc.binary_join_element_wise(
        pc.coalesce(columns["message"], columns["code"]), after(" (certificate ", "certificate", ")"),
        after("; expected: ", "expected"), after("; found: ", "actual"), "")
    return pc.if_else(pc.is_null(columns["code"]), pa.scalar(None, pa.string()), text)


def _payloads(results: bytes) -> pa.Array:
    objects = (json.loads(line).get("payload") for line in results.splitlines())
    return pa.array(
        [None if payload is None else json.dumps(payload, ensure_ascii=False) for payload in objects], pa.string())
