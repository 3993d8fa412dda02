"""Columns of receipts with what customers send."""

import json
import re

from conftest import ROOT, SAMPLES

PAGE = ROOT / "Sources/ReceiptVerification/ReceiptVerification.docc/FromSparkDuckDBAndPolars.md"


def samples():
    """Returns genuine receipts of each kind, and what is none."""
    names = ("transaction.jws", "tampered.jws", "renewal-info.jws", "app-transaction.jws", "notification.json",
             "play-purchase.json")
    genuine = [(SAMPLES / name).read_text().strip() for name in names]
    jws = genuine[0]
    hostile = [
        None, "", "  ", "\n", "NULL", "null", " NULL            ", '""', "{", '{"receipt": null}', "[1, 2]", "a,b\r\nc",
        "\0" * 20, "é" * 40, "\u2028" + jws, " " + jws, jws + "\n", jws[:200], f'"{jws}"', f"{jws} {jws}", "A" * 70_000,
        json.dumps({"signedPayload": jws}), "eyJ" + "." * 100, jws.replace(".", "\t"), "\ufeff" + jws, "x" * 16, "x" * 15]
    return genuine + hostile


def recipe(number):
    """Returns a program of the page, which works on the folder of the process."""
    return re.findall(r"```python\n(.*?)```\n", PAGE.read_text(), re.DOTALL)[number]
