"""Verdicts in Apache Spark, which runs here with two Python workers.

The environment variable SPARK_ROWS sets the number of rows, by default 4000. VERIFY_RECEIPT_BINARY names the tool that the
verdicts are compared with; without it, they are compared with those of the package.
"""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from conftest import SAMPLES
from tables.receipts import recipe, samples

from receiptverify import PolicyError, Verifier, load_policy

pyspark = pytest.importorskip("pyspark")
from pyspark.sql import Row, SparkSession  # noqa: E402
from pyspark.sql import functions  # noqa: E402

from receiptverify.spark import VERDICT_TYPE, with_verdicts  # noqa: E402

COUNT = int(os.environ.get("SPARK_ROWS", "4000"))
TOOL = os.environ.get("VERIFY_RECEIPT_BINARY")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder of the process, in which Spark too looks for relative paths from its start on."""
    former = Path.cwd()
    folder = tmp_path_factory.mktemp("spark")
    os.chdir(folder)
    yield folder
    os.chdir(former)


@pytest.fixture(scope="session")
def spark(folder):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.files.maxPartitionBytes", "8m").config("spark.sql.shuffle.partitions", "2")
        # Several batches in each task, and more than one part in a batch.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1100").getOrCreate())
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def work(folder, policy):
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for sample in SAMPLES.iterdir():
        shutil.copy(sample, folder)
    (folder / "policy.json").write_text(json.dumps(policy))
    return folder


@pytest.fixture
def rows():
    return list(itertools.islice(itertools.cycle(samples()), COUNT))


def write(rows):
    table = pyarrow.table({
        "id": range(len(rows)), "receipt": pyarrow.array(rows),
        "tags": [[{"name": "ä", "values": [1, None]}]] * len(rows)})
    # Repeated receipts would be compressed into one small part.
    pyarrow.parquet.write_table(
        table, "receipts.parquet", row_group_size=1_000, compression="none", use_dictionary=False)


def expected(rows):
    """Returns verdict, code and transaction of each row, by the tool or else by the package."""
    if not TOOL:
        with Verifier.from_file("policy.json") as verifier:
            results = list(verifier.verify_many("" if row is None else row for row in rows))
        return [(result.verdict.value, result.code, result.members["transactionId"]) for result in results]
    lines = "".join(json.dumps({"receipt": row}) + "\n" for row in rows)
    done = subprocess.run(
        [TOOL, "batch", "--config", "policy.json", "--field", "receipt", "--every-record", "-"], input=lines.encode(),
        capture_output=True, check=False, timeout=600)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return [(result["verdict"], result["code"], result["transactionId"]) for result in results]


def check(frame, rows):
    found = sorted(frame.collect(), key=lambda row: row.id)
    assert [row.id for row in found] == list(range(len(rows)))
    verdicts = [row.verdict for row in found]
    assert [(verdict.verdict, verdict.code, verdict.transactionId) for verdict in verdicts] == expected(rows)
    return found


def test_rows_have_the_verdict_of_the_tool_and_keep_their_columns(spark, work, rows):
    write(rows)
    receipts = spark.read.parquet("receipts.parquet")
    assert receipts.rdd.getNumPartitions() >= 2
    checked = with_verdicts(receipts, "receipt", load_policy("policy.json"))
    assert checked.schema.fields[:-1] == receipts.schema.fields and checked.schema["verdict"].dataType == VERDICT_TYPE
    found = check(checked, rows)
    assert [row.receipt for row in found] == rows
    assert all(row.tags == [Row(name="ä", values=[1, None])] for row in found)


def test_the_recipe(spark, work, rows):
    write(rows)
    exec(recipe(2), {})
    assert "receipt" not in spark.read.parquet("verdicts.parquet").columns
    check(spark.read.parquet("verdicts.parquet"), rows)


def test_bytes_payloads_and_other_names(spark, work, transaction, tampered):
    frame = spark.createDataFrame([(bytearray(transaction.encode()),), (bytearray(tampered.encode()),), (None,)], "r binary")
    checked = with_verdicts(frame, "r", json.dumps(load_policy("policy.json")), name="v", payload=True)
    rows = checked.select("v.code", functions.get_json_object("v.payload", "$.productId").alias("product")).collect()
    assert {(row.code, row.product) for row in rows} == {
        (None, "com.example.app.premium.monthly"), ("signature-invalid", None), ("empty", None)}


def workers():
    """Returns the Python processes that Spark has forked on this machine."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
            parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1] if b"pyspark.daemon" in command else ""
            if parent and b"pyspark.daemon" in Path(f"/proc/{parent}/cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_killed_workers_change_nothing(spark, work, rows):
    write(rows)
    (begun, killed) = (str(work / "begun"), str(work / "killed"))

    def wait(batches):
        # The first attempt is in the middle of its rows when all workers are killed.
        for index, batch in enumerate(batches):
            if index == 1:
                Path(begun).touch()
                while not Path(killed).exists():
                    time.sleep(0.01)
            yield batch

    victims = []

    def kill():
        while not Path(begun).exists():
            time.sleep(0.01)
        for process in workers():
            os.kill(process, signal.SIGKILL)
            victims.append(process)
        Path(killed).touch()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    receipts = spark.read.parquet("receipts.parquet")
    check(with_verdicts(receipts.mapInArrow(wait, receipts.schema), "receipt", load_policy("policy.json")), rows)
    killer.join()
    assert len(victims) >= 2


def test_a_stream_of_notifications(spark, work, transaction, tampered, notification):
    (work / "notifications").mkdir()
    for number, receipt in enumerate([transaction, tampered, notification["signedPayload"], None]):
        (work / "notifications" / f"{number}.json").write_text(json.dumps({"receipt": receipt}))
    names = {"spark": spark, "with_verdicts": with_verdicts, "load_policy": load_policy}
    exec(recipe(3), names)
    query = names["query"]
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    rows = spark.read.parquet("notification-verdicts").select("verdict.*").collect()
    assert sorted((row.verdict, row.code or "", row.kind or "") for row in rows) == [
        ("undecided", "empty", ""), ("unverified", "signature-invalid", ""), ("verified", "", "notification"),
        ("verified", "", "transaction")]


def test_mistakes_fail_before_a_task_runs(spark, work):
    frame = spark.createDataFrame([("a", "b")], "receipt string, verdict string")
    policy = load_policy("policy.json")
    with pytest.raises(ValueError, match="no column jws"):
        with_verdicts(frame, "jws", policy)
    with pytest.raises(ValueError, match="verdict already"):
        with_verdicts(frame, "receipt", policy)
    with pytest.raises(PolicyError):
        with_verdicts(frame, "receipt", (work / "policy.json").read_text(), name="v")
