"""Receipts in DuckDB: ``SELECT receipt_verdict(receipt).verdict FROM 'receipts.parquet'``."""

from __future__ import annotations

import contextlib

try:
    import duckdb
    import numpy  # noqa: F401, without it DuckDB has no functions
    import pyarrow as pa
except ImportError as error:
    raise ImportError("receiptverify.duckdb needs other packages: pip install duckdb numpy pyarrow") from error

from ._arrow import VERDICT, Policy, shared_verifier, verdicts
from ._verifier import thread_count

__all__ = ["register"]

_TYPES = {pa.string(): "VARCHAR", VERDICT.field("signedDate").type: "TIMESTAMPTZ"}
_STRUCT = "STRUCT(" + ", ".join(f'"{field.name}" {_TYPES[field.type]}' for field in VERDICT) + ")"


def register(
    connection: duckdb.DuckDBPyConnection, policy: Policy, *, name: str = "receipt_verdict", payload: bool = False,
    jobs: int | None = None,
) -> None:
    """Adds a function to a connection that takes a receipt, and returns the struct of its verdict.

    A receipt is of type VARCHAR or BLOB; a null receipt is ``undecided`` with the code ``empty``. Another function that
    was registered with the same name is replaced.

    :param name: The name of the function in SQL.
    :param payload: Whether verified receipts have the payload, as JSON.
    :param jobs: The number of threads for each batch of rows; by default that of the processors.
    :raises PolicyError: The policy cannot be used.
    :raises MisuseError: ``jobs`` is less than 1.
    """
    verifier = shared_verifier(policy)
    count = thread_count(jobs)

    def function(receipts: pa.ChunkedArray) -> pa.Array:
        return verdicts(receipts, verifier, payload=payload, jobs=count)

    with contextlib.suppress(duckdb.InvalidInputException):
        connection.remove_function(name)
    # Without the types of its parameters, the function takes text and bytes.
    connection.create_function(name, function, None, duckdb.sqltype(_STRUCT), type="arrow", null_handling="special")
