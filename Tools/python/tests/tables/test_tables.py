"""Verdicts in Arrow, DuckDB and Polars."""

import json
import shutil

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import ROOT, SAMPLES
from tables.receipts import recipe, samples

from receiptverify import MisuseError, PolicyError, Verifier, load_policy
from receiptverify._arrow import VERDICT, verdicts
from receiptverify.duckdb import register
from receiptverify.polars import receipt_verdict


@pytest.fixture
def work(tmp_path, policy, monkeypatch):
    for sample in SAMPLES.iterdir():
        shutil.copy(sample, tmp_path)
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expected(verifier, rows):
    """Returns verdict, code, transaction and explanation of each row, by the call for many receipts."""
    results = verifier.verify_many("" if row is None else row for row in rows)
    return [(result.verdict.value, result.code, result.members.get("transactionId"), result.explanation)
            for result in results]


def found(structs):
    return [(row["verdict"], row["code"], row["transactionId"], row["explanation"]) for row in structs]


@pytest.mark.parametrize("kind", [
    pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())])
def test_every_text_has_the_verdict_of_verify_many(verifier, kind):
    rows = samples()
    column = pyarrow.array(rows).cast(kind)
    assert found(verdicts(column, verifier, payload=False, jobs=2).to_pylist()) == expected(verifier, rows)
    assert {row[0] for row in expected(verifier, rows)} == {"verified", "unverified", "undecided"}


@pytest.mark.parametrize("kind", [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()])
def test_bytes_have_the_verdict_of_verify_many(verifier, kind):
    rows = [row if row is None else row.encode() for row in samples()] + [b"\xff" * 40, bytes(range(256)), b"\x30\x82"]
    column = pyarrow.array(rows, kind)
    assert found(verdicts(column, verifier, payload=False, jobs=1).to_pylist()) == expected(verifier, rows)


def test_inputs_of_the_vectors_have_the_verdict_of_verify_many(verifier):
    rows = [path.read_bytes() for path in sorted((ROOT / "TestVectors/fuzz").rglob("*")) if path.is_file()]
    assert len(rows) > 100
    column = pyarrow.array(rows, pyarrow.binary())
    assert found(verdicts(column, verifier, payload=False, jobs=2).to_pylist()) == expected(verifier, rows)


def test_columns_of_any_length(verifier, transaction, tampered):
    for count in (0, 1, 2_047, 2_048, 2_049, 5_000):
        column = pyarrow.chunked_array([pyarrow.array([transaction] * count, pyarrow.string()), pyarrow.array([tampered])])
        codes = verdicts(column, verifier, payload=False, jobs=2).field("code").to_pylist()
        assert codes == [None] * count + ["signature-invalid"]
    assert verdicts(pyarrow.array([], pyarrow.string()), verifier, payload=False, jobs=1).type == VERDICT
    with pytest.raises(TypeError, match="int64"):
        verdicts(pyarrow.array([1]), verifier, payload=False, jobs=1)


def test_what_is_found_is_shown_in_one_short_line(verifier):
    rows = ["a" * 60, '{"data": "{\\"packageName\\": \\"a\\\\nb\\"}", "signature": "AAAA"}', None, "b.c.d"]
    column = pyarrow.array([*rows, f'{{"data": "{{\\"packageName\\": \\"{"c" * 5000}\\"}}", "signature": "AAAA"}}'])
    found_texts = verdicts(column, verifier, payload=False, jobs=1).field("explanation").to_pylist()
    assert found_texts == [result.explanation for result in verifier.verify_many(column.to_pylist())]
    assert all(text.isprintable() and len(text) < 600 for text in found_texts)
    assert "\\u{a}" in found_texts[1]


def test_payloads_and_dates(verifier, transaction, tampered):
    column = pyarrow.array([transaction, tampered])
    first, second = verdicts(column, verifier, payload=True, jobs=1).to_pylist()
    payload = verifier.verify(transaction).payload
    assert json.loads(first["payload"]) == payload
    assert int(first["signedDate"].timestamp() * 1000) == payload["signedDate"]
    assert int(first["expiresDate"].timestamp() * 1000) == payload["expiresDate"]
    assert second["payload"] is None and second["signedDate"] is None and second["transactionId"] is None


def test_load_policy_embeds_what_the_file_names(work, policy, transaction, play_purchase):
    embedded = load_policy("policy.json")
    assert "file" not in json.dumps(embedded) and "playKeyFile" not in json.dumps(embedded)
    with Verifier(embedded) as verifier:
        assert verifier.verify(transaction).is_verified and verifier.verify(play_purchase).is_verified
    (work / "root.pem").write_text(embedded["roots"][0]["pem"])
    policy = {**policy, "roots": [{**policy["roots"][0], "file": "root.pem"}]}
    (work / "other.json").write_text(json.dumps(policy))
    assert load_policy("other.json")["roots"] == embedded["roots"]
    (work / "root.pem").write_bytes(b"Bag Attributes: \xe9\r\n" + (work / "root.pem").read_bytes() * 100)
    with Verifier(load_policy("other.json")) as verifier:
        assert verifier.verify(transaction).is_verified
    for wrong in ('{"schema": "verify-receipt/config-1", "strict": true, "strict": false, "apps": []}',
                  json.dumps({**policy, "roots": [{**policy["roots"][0], "pem": embedded["roots"][0]["pem"]}]})):
        (work / "wrong.json").write_text(wrong)
        with pytest.raises(PolicyError):
            load_policy("wrong.json")
    (work / "list.json").write_text("[]")
    with pytest.raises(PolicyError, match="object"):
        load_policy("list.json")
    for content in (b"", b"a program", b"-----BEGIN CERTIFICATE-----"):
        (work / "root.pem").write_bytes(content)
        with pytest.raises(PolicyError, match="root.pem"):
            load_policy("other.json")
    (work / "root.pem").unlink()
    with pytest.raises(PolicyError, match="root.pem does not exist"):
        load_policy("other.json")


def parquet(rows):
    table = pyarrow.table({"id": range(len(rows)), "receipt": pyarrow.array(rows), "note": ["a \"note\",\r\n"] * len(rows)})
    pyarrow.parquet.write_table(table, "receipts.parquet")


def check_parquet(verifier, rows):
    table = pyarrow.parquet.read_table("verdicts.parquet").to_pylist()
    assert [(row["id"], row["note"]) for row in table] == [(index, "a \"note\",\r\n") for index in range(len(rows))]
    assert found(row["verdict"] for row in table) == expected(verifier, rows)


def test_the_recipe_for_duckdb(work, verifier):
    parquet(samples())
    exec(recipe(0), {})
    check_parquet(verifier, samples())


def test_the_recipe_for_polars(work, verifier):
    parquet(samples())
    exec(recipe(1), {})
    check_parquet(verifier, samples())


def test_duckdb_with_other_names_payloads_and_many_rows(work, transaction):
    connection = duckdb.connect()
    register(connection, load_policy("policy.json"), name="checked", payload=True, jobs=1)
    connection.execute("CREATE TABLE receipts AS SELECT range AS id, $1 AS receipt FROM range(10000)", [transaction])
    query = "SELECT count(*), count(DISTINCT checked(receipt).payload) FROM receipts WHERE checked(receipt).verdict = 'verified'"
    assert connection.sql(query).fetchall() == [(10_000, 1)]
    assert connection.sql("SELECT checked(NULL).code").fetchall() == [("empty",)]
    assert connection.sql("SELECT checked(receipt::BLOB).verdict FROM receipts LIMIT 1").fetchall() == [("verified",)]
    with pytest.raises(duckdb.Error, match="text or bytes"):
        connection.sql("SELECT checked(1)").fetchall()
    register(connection, load_policy("policy.json"), name="checked")
    assert connection.sql("SELECT checked(receipt).payload FROM receipts LIMIT 1").fetchall() == [(None,)]


def test_polars_in_eager_lazy_and_grouped_frames(work, transaction, tampered):
    policy = load_policy("policy.json")
    frame = polars.DataFrame({"customer": [1, 1, 2], "receipt": [transaction, None, tampered]})
    checked = frame.with_columns(receipt_verdict("receipt", policy).struct.field("code"))
    assert checked["code"].to_list() == [None, "empty", "signature-invalid"]
    counted = frame.lazy().group_by("customer").agg(
        (receipt_verdict(polars.col("receipt"), policy).struct.field("verdict") == "verified").sum().alias("count"))
    assert sorted(counted.collect().rows()) == [(1, 1), (2, 0)]


def test_polars_columns_of_any_length_are_copied_in_parts(work, transaction, tampered, monkeypatch):
    verdict = receipt_verdict("receipt", load_policy("policy.json"))
    copied = []
    to_arrow = polars.Series.to_arrow
    monkeypatch.setattr(polars.Series, "to_arrow", lambda series: copied.append(len(series)) or to_arrow(series))
    for count in (0, 1, 2_047, 2_048, 2_049, 5_000):
        frame = polars.DataFrame({"receipt": [transaction] * count + [tampered]})
        codes = frame.select(verdict)["receipt"].struct.field("code")
        assert codes.to_list() == [None] * count + ["signature-invalid"]
    assert max(copied) == 2_048
    empty = polars.DataFrame({"receipt": []}, schema={"receipt": polars.String})
    assert empty.select(verdict).schema == empty.lazy().select(verdict).collect_schema()
    with pytest.raises(TypeError, match="int64"):
        polars.DataFrame({"receipt": [1]}).select(verdict)


def test_arguments_that_cannot_be_used(work):
    for jobs in (0, -1):
        with pytest.raises(MisuseError):
            receipt_verdict("receipt", load_policy("policy.json"), jobs=jobs)
        with pytest.raises(MisuseError):
            register(duckdb.connect(), load_policy("policy.json"), jobs=jobs)
    with pytest.raises(TypeError, match="load_policy"):
        receipt_verdict("receipt", work / "policy.json")
    with pytest.raises(PolicyError, match="load_policy"):
        register(duckdb.connect(), "policy.json")


def test_a_policy_that_cannot_be_used(work):
    for wrong in ({}, "{", {"schema": "verify-receipt/config-1", "apps": [], "roots": [{"file": "root.der"}]}):
        with pytest.raises(PolicyError):
            receipt_verdict("receipt", wrong)
        with pytest.raises(PolicyError):
            register(duckdb.connect(), wrong)
