"""Receipts in Polars: ``frame.with_columns(verdict=receipt_verdict("receipt", policy))``."""

from __future__ import annotations

try:
    import polars as pl
    import pyarrow as pa
except ImportError as error:
    raise ImportError("receiptverify.polars needs other packages: pip install polars pyarrow") from error

from ._arrow import ROW_COUNT, VERDICT, Policy, shared_verifier, verdicts
from ._verifier import thread_count

__all__ = ["VERDICT_TYPE", "receipt_verdict"]

VERDICT_TYPE = pl.Struct({
    field.name: pl.String() if field.type == pa.string() else pl.Datetime("us", "UTC") for field in VERDICT})
"""The type of a verdict."""


def receipt_verdict(column: str | pl.Expr, policy: Policy, *, payload: bool = False, jobs: int | None = None) -> pl.Expr:
    """Returns the expression of the verdicts on the receipts in a column, a struct for each.

    It has the name of the column: give it another one, or it takes the place of the receipts. A null receipt is
    ``undecided`` with the code ``empty``.

    :param payload: Whether verified receipts have the payload, as JSON.
    :param jobs: The number of threads for each batch of rows; by default that of the processors.
    :raises PolicyError: The policy cannot be used.
    :raises MisuseError: ``jobs`` is less than 1.
    """
    verifier = shared_verifier(policy)
    count = thread_count(jobs)

    def function(receipts: pl.Series) -> pl.Series:
        # Polars copies text for Arrow: a part of the rows at a time, because a batch of rows can be the whole column.
        starts = range(0, max(len(receipts), 1), ROW_COUNT)
        parts = [verdicts(receipts.slice(start, ROW_COUNT).to_arrow(), verifier, payload=payload, jobs=count)
                 for start in starts]
        return pl.Series(receipts.name, pl.from_arrow(pa.concat_arrays(parts)), dtype=VERDICT_TYPE)

    expression = pl.col(column) if isinstance(column, str) else column
    # Each verdict depends on one row, so a lazy query may pass the rows in parts.
    return expression.map_batches(function, return_dtype=VERDICT_TYPE, is_elementwise=True)
