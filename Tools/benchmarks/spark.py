"""Measures the Python package in Spark, and prints ratios of times in this run. Tools/bench --spark runs it.

usage: spark.py TOOL FOLDER RECEIPTS
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
from pyspark.sql import SparkSession

from receiptverify import load_policy
from receiptverify.spark import with_verdicts
from rounds import shortest


def nothing(batches):
    yield from batches


def processor_time():
    """Returns the processor time in s that the processes of Spark have taken: this process is the parent of the first."""
    fields = {}
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit():
                fields[int(process.name)] = (process / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue

    def is_below(process):
        parent = int(fields[process][1])
        return parent == os.getpid() or parent in fields and is_below(parent)

    ticks = sum(int(fields[process][11]) + int(fields[process][12]) for process in fields if is_below(process))
    return ticks / os.sysconf("SC_CLK_TCK")


def main(tool, folder, count):
    folder = Path(folder)
    minted = subprocess.run(
        [tool, "mint", "--authority", folder / "authority", "--count", "1000"], capture_output=True, check=True).stdout
    receipts = minted.decode().split()
    receipts = [receipts[index % len(receipts)] for index in range(count)]
    table = pyarrow.table({"id": range(count), "receipt": receipts})
    pyarrow.parquet.write_table(table, folder / "receipts.parquet", row_group_size=count // 20 or 1, use_dictionary=False)
    (folder / "receipts.txt").write_text("\n".join(receipts) + "\n")
    policy = {
        "schema": "verify-receipt/config-1", "onlyGivenRoots": True,
        "roots": [{"file": "authority/root.der", "environments": ["Sandbox"]}],
        "apps": [{"bundleId": "com.example.app", "environments": ["Sandbox"]}]}
    (folder / "policy.json").write_text(json.dumps(policy))
    embedded = load_policy(folder / "policy.json")
    os.environ["PYSPARK_PYTHON"] = sys.executable

    def command(jobs):
        subprocess.run(
            [tool, "batch", "--config", folder / "policy.json", "--jobs", str(jobs), folder / "receipts.txt"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    busy = {}
    times = {("tool", cores): run for cores, run in shortest({cores: lambda cores=cores: command(cores) for cores in (1, 2)}).items()}
    for cores in (1, 2):
        spark = (
            SparkSession.builder.master(f"local[{cores},4]").config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "2g").config("spark.sql.files.maxPartitionBytes", "4m")
            .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
            .config("spark.ui.showConsoleProgress", "false").getOrCreate())
        spark.sparkContext.setLogLevel("OFF")
        frame = spark.read.parquet(str(folder / "receipts.parquet"))
        checked = with_verdicts(frame, "receipt", embedded)
        assert checked.where("verdict.verdict = 'verified'").count() == count

        def save(frame, place):
            frame.write.mode("overwrite").parquet(str(folder / place))

        def run_nothing():
            start = processor_time()
            save(frame.mapInArrow(nothing, frame.schema), "nothing")
            busy[cores] = min(busy.get(cores, float("inf")), processor_time() - start)

        found = shortest({
            "nothing": run_nothing,
            "verdicts": lambda: save(checked, "verdicts")})
        times.update({(name, cores): value for name, value in found.items()})
        spark.stop()
    print(f"{count} receipts from Parquet to Parquet")
    for cores in (1, 2):
        ratio = times["verdicts", cores] / times["nothing", cores]
        print(f"with_verdicts against a job that does nothing, {cores} cores: {ratio:.2f} times the time")
        added = (times["verdicts", cores] - times["nothing", cores]) / times["tool", cores]
        least = (busy[cores] + times["tool", 1]) / os.cpu_count() / times["nothing", cores]
        print(f"the least if all processors of the machine did both without a pause, {cores} cores: {least:.2f} times")
        print(f"what with_verdicts adds to that job, {cores} cores: {added:.2f} of the time of verify-receipt batch")
    print(f"with_verdicts, 2 cores against 1: {times['verdicts', 1] / times['verdicts', 2]:.2f} times as fast")
    print(f"verify-receipt batch, 2 threads against 1: {times['tool', 1] / times['tool', 2]:.2f} times as fast")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
