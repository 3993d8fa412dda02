"""TestVectors/samples/ and roots/: receipts of the test authority for trying the tools."""

import csv
import io
import json

from . import payloads, play
from .authority import FULL_CHAIN, OTHER_CHAIN, ROOT
from .jws import b64url, json_bytes, sign
from .payloads import brief_transaction, ms, transaction


def contents():
    """Returns the bytes of every sample by its path below TestVectors/."""
    lines = batch_lines()
    files = {
        "root.der": FULL_CHAIN.root.der,
        "transaction.jws": line(signed(transaction())),
        "renewal-info.jws": line(signed(payloads.renewal_info())),
        "app-transaction.jws": line(signed(payloads.app_transaction())),
        "notification.json": line(json.dumps({"signedPayload": notification()})),
        "tampered.jws": line(tampered(signed(transaction()))),
        "play-purchase.json": line(play_purchase()),
        "play-key.txt": line(play.public_key()),
        "receipts.jsonl": json_lines(lines),
        "receipts.csv": comma_separated(lines),
    }
    made = {f"samples/{name}": octets for name, octets in files.items()}
    return made | {"roots/test-root.der": ROOT.der}


def line(text):
    return text.encode() + b"\n"


def signed(payload):
    return sign(payload, FULL_CHAIN)


def notification():
    inner = {"signedTransactionInfo": signed(transaction()), "signedRenewalInfo": signed(payloads.renewal_info())}
    return signed(payloads.data_notification(**inner))


def tampered(jws):
    """Returns the transaction with a later expiry date and the original signature."""
    head, _, signature = jws.split(".")
    longer = transaction(expiresDate=ms("2035-11-01T11:59:00Z"))
    return f"{head}.{b64url(json_bytes(longer))}.{signature}"


def play_purchase():
    return json.dumps(json.loads(play.signed(play.purchase())), indent=1)


def batch_lines():
    """Returns the note and the receipt of each line: valid receipts, and the failures that occur in practice."""
    good = [
        signed(
            transaction(
                transactionId=str(200000000000100 + number),
                quantity=1,
                purchaseDate=ms(f"2025-0{number}-05T08:00:00Z"),
                signedDate=ms(f"2025-0{number}-05T08:00:01Z"),
            )
        )
        for number in range(4, 9)
    ]
    return [
        ("first renewal", good[0]),
        ("second renewal", good[1]),
        ("third renewal", good[2]),
        ("changed by hand", tampered(good[0])),
        ("renewal info", signed(payloads.renewal_info())),
        ("refunded", signed(transaction(revocationDate=ms("2025-10-02"), revocationReason=1))),
        ("sandbox", signed(transaction(environment="Sandbox"))),
        ("another app", signed(transaction(bundleId="com.example.other"))),
        ("cut off, by a column too short", good[3][:2000]),
        ("another authority", sign(brief_transaction(), OTHER_CHAIN)),
        ("not a receipt, just a note", "see ticket 4711"),
        ("fourth renewal", good[4]),
    ]


def json_lines(lines):
    rows = ({"id": number, "note": note, "receipt": receipt} for number, (note, receipt) in enumerate(lines, 1))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def comma_separated(lines):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "note", "receipt"])
    writer.writerows([number, note, receipt] for number, (note, receipt) in enumerate(lines, 1))
    return text.getvalue().encode()
