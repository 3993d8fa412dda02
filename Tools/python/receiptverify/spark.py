"""Receipts in Apache Spark: ``with_verdicts(frame, "receipt", policy)``, for a batch or a stream.

Spark alone distributes the work. Each of its Python processes makes one verifier, and keeps it for its later tasks.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

try:
    import pandas  # noqa: F401, without it Spark has no mapInArrow
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType
except ImportError as error:
    raise ImportError("receiptverify.spark needs other packages: pip install pyspark pyarrow pandas") from error

from ._ahead import ahead
from ._arrow import VERDICT, Policy, canonical, shared_verifier, verdicts

__all__ = ["VERDICT_TYPE", "with_verdicts"]

VERDICT_TYPE = StructType([StructField(field.name, from_arrow_type(field.type), field.nullable) for field in VERDICT])
"""The type of a verdict."""

# A part takes some hundredths of a second to verify, while Spark reads and writes the rows of other parts.
_PART_ROW_COUNT = 1_024


def with_verdicts(
    frame: DataFrame, column: str, policy: Policy, *, name: str = "verdict", payload: bool = False,
) -> DataFrame:
    """Returns a frame with one more column: the verdict on the receipt of each row. The other columns stay as they are.

    A null receipt is ``undecided`` with the code ``empty``. It works on streaming frames too.

    :param column: The column with the receipts, of text or of bytes.
    :param policy: The contents of a policy file, which travel to the workers once, by broadcast. The workers read no
        files: pass what :func:`receiptverify.load_policy` returns.
    :param name: The name of the new column, a struct.
    :param payload: Whether verified receipts have the payload, as JSON.
    :raises PolicyError: The policy cannot be used.
    :raises ValueError: There is no such column, or there is one with the new name.
    """
    if column not in frame.columns:
        raise ValueError(f"there is no column {column}; there are {', '.join(frame.columns)}")
    if name in frame.columns:
        raise ValueError(f"there is a column {name} already; choose another name")
    # A policy that cannot be used fails here, and not in each task.
    shared_verifier(policy)
    broadcast = frame.sparkSession.sparkContext.broadcast(canonical(policy))
    place = frame.columns.index(column)

    def function(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        verifier = shared_verifier(broadcast.value)

        def checked(batch: pa.RecordBatch) -> pa.RecordBatch:
            # Spark runs as many of these processes as there are cores, so each of them verifies with one thread.
            found = verdicts(batch.column(place), verifier, payload=payload, jobs=1)
            return pa.RecordBatch.from_arrays([*batch.columns, found], names=[*batch.schema.names, name])

        # Spark reads and writes rows while others are verified.
        parts = (part for batch in batches for part in _parts(batch))
        return ahead((functools.partial(checked, part) for part in parts), jobs=1)

    return frame.mapInArrow(function, StructType([*frame.schema.fields, StructField(name, VERDICT_TYPE, False)]))


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Returns parts of a batch: Spark can go on with the rows of each as soon as it has their verdicts."""
    return (batch.slice(start, _PART_ROW_COUNT) for start in range(0, batch.num_rows, _PART_ROW_COUNT))
