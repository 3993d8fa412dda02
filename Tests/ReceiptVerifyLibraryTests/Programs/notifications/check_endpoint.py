"""Sends notifications to one of the endpoints of the documentation, over loopback, and reads what it records.

usage: check_endpoint.py SAMPLES COMMAND [ARGUMENT]... -- STALLED [ARGUMENT]...

The SQL of the documentation is beside this program. COMMAND starts the endpoint; POLICY DATABASE PORT SECONDS follow.
STALLED starts it with a verification that never ends.
verify-receipt, which mints the notifications, is in PATH. Exit code 1: an answer or a record is wrong.
"""

import contextlib
import http.client
import json
import pathlib
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory as folder

MONTH = 30 * 24 * 3_600_000
# The seconds for an answer that comes, on a slow machine, and for one that does not.
PATIENT, SHORT = 60, 1


class Endpoint:
    """A running endpoint; its database is made if it does not exist."""

    def __init__(self, command, schema, seconds, folder):
        self.path = f"{folder}/notifications.db"
        with self.database() as database:
            database.executescript(schema)
        command = [*command, "policy.json", self.path, "0", str(seconds)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    @contextlib.contextmanager
    def database(self):
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as database:
            yield database

    def rows(self, query):
        with self.database() as database:
            return database.execute(query).fetchall()

    def post(self, body, method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(connection):
            try:
                connection.request(method, "/", body)
                return connection.getresponse().status
            except (BrokenPipeError, ConnectionResetError):
                # The endpoint has closed the connection instead of reading all of the body.
                return 413

    def post_and_leave(self, body):
        """Sends a notification, and closes the connection without reading the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(connection):
            connection.request("POST", "/", body)


def mint(*options, kind="notification", app="com.example.app", environment="Production", **members):
    command = ["verify-receipt", "mint", "--authority", "authority", "--quiet", "--kind", kind, "--bundle-id", app,
               "--environment", environment]
    command += [f"--set={name.replace('__', '.')}={json.dumps(value)}" for name, value in members.items()]
    done = subprocess.run([*command, *options], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


class Subscription:
    """Notifications about one subscription; times are in months after the first purchase."""

    START = 1_760_000_000_000

    def __init__(self, number):
        self.original = f"{700_000_000_000_000 + number}"
        self.number = number

    def notify(self, type, period, signed, subtype=None, **members):
        purchased = self.START + period * MONTH
        at = self.START + int(signed * MONTH)
        both = {"originalTransactionId": self.original, "signedDate": at}
        values = {f"transaction__{name}": value for name, value in both.items()}
        values |= {f"renewalInfo__{name}": value for name, value in both.items()}
        values |= {
            "signedDate": at, "transaction__transactionId": f"{int(self.original) + period}",
            "transaction__purchaseDate": purchased, "transaction__expiresDate": purchased + MONTH} | members
        options = ["--notification-type", type, *(["--subtype", subtype] if subtype else [])]
        return mint(*options, **values)

    def until(self, endpoint):
        rows = endpoint.rows(f"SELECT until FROM entitlement WHERE original_id = '{self.original}'")
        assert len(rows) < 2, rows
        return (rows[0][0] - self.START) / MONTH if rows else None


def body(jws):
    return json.dumps({"signedPayload": jws})


def check_statuses(endpoint, samples):
    sample = (samples / "notification.json").read_bytes()
    count = "SELECT count(*) FROM notification"
    jws = mint("--notification-type", "DID_RENEW")
    refused = [
        (b"", 400), (b" ", 400), (b"{}", 400), (b"\xff\x00", 400), (sample, 400), (body(jws[:-6] + "AAAAAA"), 400),
        (body(mint(kind="transaction")), 400), (body(jws + " " + jws), 400), (json.dumps([jws, jws]), 400),
        (body(mint(environment="Sandbox")), 400), (body(mint(app="com.example.other")), 400),
        (json.dumps({"message": {"data": "e30=", "messageId": "1"}, "subscription": "s"}), 400),
        (b"x" * ((1 << 20) + 1), 413)]
    assert endpoint.post(body(jws)) == 200
    recorded = endpoint.rows("SELECT type, json_extract(body, '$.signedPayload') FROM notification")
    assert recorded == [("DID_RENEW", jws)], recorded
    for content, expected in refused:
        status = endpoint.post(content)
        assert status == expected, (content[:80], status)
    assert endpoint.post(body(mint("--notification-type", "TEST"))) == 200
    assert endpoint.post(None, "GET") >= 400
    assert endpoint.rows(count) == [(2,)]


def check_state(endpoint):
    count = "SELECT count(*) FROM notification"
    before = endpoint.rows(count)[0][0]
    sub = Subscription(0)

    def deliver(*arguments, **members):
        assert endpoint.post(body(sub.notify(*arguments, **members))) == 200
        return sub.until(endpoint)

    assert deliver("SUBSCRIBED", 0, 0) == 1
    assert deliver("DID_RENEW", 1, 1) == 2
    # A late notification about an earlier period, and one that was signed earlier.
    assert deliver("DID_CHANGE_RENEWAL_STATUS", 0, 0.5) == 2
    assert deliver("DID_RENEW", 1, 0.9, transaction__expiresDate=sub.START) == 2
    # The refund of an earlier period takes nothing of the current one.
    assert deliver("REFUND", 0, 1.2, transaction__revocationDate=sub.START + MONTH) == 2
    assert deliver("REFUND", 1, 1.4, transaction__revocationDate=sub.START + MONTH) is None
    assert deliver("DID_RENEW", 1, 1.3) is None
    assert deliver("REFUND_REVERSED", 1, 1.5, transaction__revocationDate=None) == 2
    grace = sub.START + int(2.5 * MONTH)
    assert deliver("DID_FAIL_TO_RENEW", 1, 2, "GRACE_PERIOD", renewalInfo__gracePeriodExpiresDate=grace) == 2.5
    assert deliver("DID_RENEW", 2, 2.2, "BILLING_RECOVERY") == 3
    assert endpoint.rows(count)[0][0] == before + 10


def check_redelivery(endpoint):
    count = "SELECT count(*) FROM notification"
    before = endpoint.rows(count)[0][0]
    sub = Subscription(1000)
    first, second = body(sub.notify("SUBSCRIBED", 0, 0)), body(sub.notify("DID_RENEW", 1, 1))
    endpoint.post_and_leave(first)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(endpoint.post, [first, second] * 8)) == {200}
    assert endpoint.rows(count)[0][0] == before + 2
    assert sub.until(endpoint) == 2
    assert endpoint.rows(f"SELECT count(*) FROM purchase WHERE original_id = '{sub.original}'") == [(2,)]


def check_access(endpoint, query):
    """A customer has what does not end, or ends in the future, and neither consumables nor what was refunded."""
    def buy(type, product, account, **members):
        values = {"transaction__appAccountToken": account, "transaction__productId": product} | members
        notification = "ONE_TIME_CHARGE" if type.endswith("consumable") else "SUBSCRIBED"
        assert endpoint.post(body(mint("--notification-type", notification, "--type", type, **values))) == 200

    first, second = "0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    buy("auto-renewable", "active", first)
    buy("auto-renewable", "ended", first, transaction__expiresDate=1_760_000_000_000)
    buy("non-consumable", "owned", first)
    buy("non-consumable", "refunded", first, transaction__revocationDate=1_760_000_000_000)
    buy("consumable", "coins", first)
    buy("non-consumable", "of another customer", second)
    with endpoint.database() as database:
        products = sorted(row[0] for row in database.execute(query, [first]))
    assert products == ["active", "owned"], products


def check_lock(endpoint, notification):
    """A notification that cannot be recorded is not acknowledged."""
    with endpoint.database() as database:
        database.execute("BEGIN IMMEDIATE")
        assert endpoint.post(notification) == 503
        database.execute("ROLLBACK")


def main():
    samples, *commands = sys.argv[1:]
    samples, sources = pathlib.Path(samples), pathlib.Path(__file__).parent
    schema, access = (sources / "schema.sql").read_text(), (sources / "access.sql").read_text()
    split = commands.index("--")
    command, stalled = commands[:split], commands[split + 1:]
    mint()
    pathlib.Path("policy.json").write_text(json.dumps({
        "schema": "verify-receipt/config-1", "onlyGivenRoots": True,
        "roots": [{"file": "authority/root.der", "environments": ["Production", "Sandbox"]}],
        "apps": [{"bundleId": "com.example.app", "environments": ["Production"]}]}))
    count = "SELECT count(*) FROM notification"
    with folder() as path, Endpoint(command, schema, PATIENT, path) as endpoint:
        check_statuses(endpoint, samples)
        check_state(endpoint)
        check_redelivery(endpoint)
        check_access(endpoint, access)
    with folder() as path:
        notification = body(mint())
        with Endpoint(command, schema, SHORT, path) as endpoint:
            check_lock(endpoint, notification)
        # The endpoint was killed; the redelivery reaches its successor.
        with Endpoint(command, schema, PATIENT, path) as endpoint:
            assert endpoint.post(notification) == 200
            assert endpoint.rows(count) == [(1,)]
    with folder() as path, Endpoint(stalled, schema, SHORT, path) as endpoint:
        assert endpoint.post(body(mint())) == 503
        assert endpoint.rows(count) == [(0,)]


main()
