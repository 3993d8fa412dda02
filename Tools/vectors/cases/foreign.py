"""foreign.json: inputs that are no receipt, such as an order ID, and texts of no known kind."""

import json

from ..jws import b64
from ..vectorfile import VectorFile, verdict_of

NOTIFICATION = json.dumps(
    {
        "version": "1.0",
        "packageName": "com.example.app",
        "eventTimeMillis": "1760000000000",
        "subscriptionNotification": {"version": "1.0", "notificationType": 4, "purchaseToken": "example.token"},
    }
)
EXTERNAL_TOKEN = {
    "appAppleId": 1234567890,
    "bundleId": "com.example.app",
    "tokenCreationDate": 1760000000000,
    "externalPurchaseId": "6fa0b3b8-1a5d-4a4f-9d4b-7a9c6f0b1a2c",
}


class Inputs:
    """A group of inputs with one code."""

    def __init__(self, file, comment, code):
        self.code = code
        self.group = file.group("play", comment, keys={}, policy={})

    def add(self, comment, text, flags="Mistake"):
        self.group.add(comment, flags, input=text, verdict=verdict_of(self.code), code=self.code)


def pem(label):
    return f"-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n"


def build():
    file = VectorFile("foreign.json", "inputs that are no receipt, and that a verifier can name")
    group = Inputs(file, "IDs of purchases", "not-a-receipt")
    token = "abcdefghijklmnopqrstuvwx.AO-J1" + "Example_0-" * 12
    for comment, text in [
        ("an Apple order ID", "MK5TTJQFXG"),
        ("an Apple order ID with a label", "Order ID: MK5TTJQFXG\n"),
        ("a transaction ID", "200000000000042"),
        ("a transaction ID of 17 digits", "20000000000000042"),
        ("a Google order ID", "GPA.1234-5678-9012-34567"),
        ("a Google order ID in lower case with blanks", "gpa. 1234 - 5678 9012 34567"),
        ("a Google order ID with non-breaking hyphens", "GPA.1234\u20115678\u20119012\u201134567"),
        ("the Google order ID of a renewal", "GPA.1234-5678-9012-34567..3"),
        ("a Google Play purchase token", token),
        ("a UUID", "6FA0B3B8-1A5D-4A4F-9D4B-7A9C6F0B1A2C"),
    ]:
        group.add(comment, text)
    group = Inputs(file, "JSON of the stores that is not signed", "not-a-receipt")
    for comment, text in [
        ("a Real-time Developer Notification", NOTIFICATION),
        ("its base64", b64(NOTIFICATION.encode())),
        ("a Pub/Sub message with it", json.dumps({"message": {"data": b64(NOTIFICATION.encode()), "messageId": "1"}})),
        ("an error of the App Store Server API", '{"errorCode":4040010,"errorMessage":"Transaction id not found."}'),
        ("an error of a Google API", '{"error":{"code":404,"message":"Not found","status":"NOT_FOUND"}}'),
        ("a status of verifyReceipt", "21002"),
        ("a member with a transaction ID", '{"transaction_id":"200000000000042"}'),
        ("members of a receipt that are empty", '{"productId":"gems","originalJson":"","signature":""}'),
        ("an external purchase token", b64(json.dumps(EXTERNAL_TOKEN).encode())),
        ("a list of voided purchases", '{"voidedPurchases":[{"purchaseToken":"abc","orderId":"GPA.1-2-3-4"}]}'),
        ("the decoded payload of a transaction", '{"transactionId":"1","bundleId":"com.example.app"}'),
    ]:
        group.add(comment, text)
    group = Inputs(file, "Files", "not-a-receipt")
    for comment, text in [
        ("base64 of gzip data", b64(b"\x1f\x8b\x08" + bytes(29))),
        ("a certificate", pem("CERTIFICATE")),
        ("a public key", pem("PUBLIC KEY")),
        ("a private key", pem("PRIVATE KEY")),
        ("a private key after a certificate", pem("CERTIFICATE") + pem("EC PRIVATE KEY")),
        ("base64 of an Excel workbook", b64(b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml" + b"xl/workbook.xml")),
        ("base64 of a Parquet file", b64(b"PAR1" + bytes(28))),
        ("an HTML page", "<!DOCTYPE html>\n<title>Error</title>\n"),
    ]:
        group.add(comment, text)
    group = Inputs(file, "Texts of no known kind", "format-unrecognized")
    for comment, text in [
        ("a sentence", "see the receipt below"),
        ("a short number", "42"),
        ("a word in capitals", "MANAGEMENT"),
        ("JSON without a known member", '{"order":"GPA.1"}'),
    ]:
        group.add(comment, text)
    return file
