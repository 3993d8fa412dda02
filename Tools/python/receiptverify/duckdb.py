"""Receipts in DuckDB: ``SELECT receipt_verdict(receipt).verdict FROM 'receipts.parquet'``."""

from __future__ import annotations

import os

import duckdb
import pyarrow as pa

from ._arrow import VERDICT, Policy, shared_verifier, verdicts

__all__ = ["register"]

_TYPES = {pa.string(): "VARCHAR", VERDICT.field("signedDate").type: "TIMESTAMPTZ"}
_STRUCT = "STRUCT(" + ", ".join(f'"{field.name}" {_TYPES[field.type]}' for field in VERDICT) + ")"


def register(
    connection: duckdb.DuckDBPyConnection, policy: Policy, *, name: str = "receipt_verdict", payload: bool = False,
    jobs: int | None = None,
) -> None:
    """Adds a function to a connection that takes a receipt, and returns the struct of its verdict.

    A null receipt is ``undecided`` with the code ``empty``.

    :param name: The name of the function in SQL.
    :param payload: Whether verified receipts have the payload, as JSON.
    :param jobs: The number of threads for each batch of rows; by default that of the processors.
    :raises PolicyError: The policy cannot be used.
    """
    verifier = shared_verifier(policy)
    count = jobs or os.cpu_count() or 1

    def function(receipts: pa.ChunkedArray) -> pa.Array:
        return verdicts(receipts, verifier, payload=payload, jobs=count)

    connection.create_function(
        name, function, [duckdb.sqltype("VARCHAR")], duckdb.sqltype(_STRUCT), type="arrow", null_handling="special")
