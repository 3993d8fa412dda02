"""The audit: reads the finished files from disk and checks them with the `cryptography` library.

It shares no code with the generator and confirms what can be confirmed without a receipt verifier: IDs are unique; an
item that is expected to verify, or to fail only after the signature step, has a valid signature and a chain to one of
the roots; and a signature that is expected to be invalid is invalid.
"""

import base64
import collections
import hashlib
import json
import sys

from cryptography import x509
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CODES = """
format-unrecognized not-a-receipt legacy-receipt-unsupported too-large empty segment-count encoding container-malformed
container-unsupported signer-mismatch receipt-algorithm header-malformed algorithm header-unsupported chain-length
certificate-malformed certificate-distrusted chain-invalid untrusted-root leaf-is-ca leaf-key-unsupported leaf-key-usage
leaf-marker-missing unmarked-generation intermediate-not-ca root-cannot-issue intermediate-path-length
intermediate-key-usage intermediate-marker-missing certificate-critical-extension certificate-algorithm
signature-malformed signature-invalid payload-malformed payload-not-an-object attributes-malformed too-many-attributes
too-many-purchases attribute-invalid attribute-duplicate attribute-missing signing-time-invalid signed-in-the-future
certificate-expired certificate-not-yet-valid kind-unrecognized kind-mismatch claim-type root-environment-mismatch
given-root-for-production bundle-id-mismatch app-apple-id-mismatch environment-mismatch device-mismatch
product-id-mismatch purchase-revoked unchecked-claim nested-mismatch nested-unverified key-not-found key-invalid
purchase-cancelled purchase-pending purchase-state-unknown no-trust-anchor internal-error
""".split()
AFTER_SIGNATURE = set(CODES[CODES.index("payload-malformed") : CODES.index("key-not-found")]) | {
    "purchase-cancelled",
    "purchase-pending",
    "purchase-state-unknown",
}
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ORDER_384 = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973


def decoded(segment):
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def text_of(test):
    if "jwsBase64" in test:
        return base64.b64decode(test["jwsBase64"]).decode()
    parts = test.get("jwsParts", [{"text": test.get("jws", "")}])
    return "".join(part["text"] if "text" in part else part["repeat"] * part["count"] for part in parts)


def es256(key, message, signature):
    """Returns whether r || s is a valid signature over `message`."""
    if len(signature) != 64 or not isinstance(key, ec.EllipticCurvePublicKey):
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        key.verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
        return 0 < r < ORDER and 0 < s < ORDER
    except InvalidSignature:
        return False


def certificates(jws):
    header = json.loads(decoded(jws.split(".")[0]))
    return [x509.load_der_x509_certificate(base64.b64decode(entry)) for entry in header["x5c"]]


def is_signed_by_leaf(jws):
    head, body, signature = jws.split(".")
    return es256(certificates(jws)[0].public_key(), f"{head}.{body}".encode(), decoded(signature))


def identity(certificate):
    public = certificate.public_key()
    return certificate.subject.public_bytes(), public.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def chained(jws, roots):
    """Returns whether each certificate is issued by the next and the last one is a root of the group."""
    chain = certificates(jws)
    if len(chain) == 1:
        return any(root == chain[0] for root in roots)
    try:
        for lower, upper in zip(chain, chain[1:], strict=False):
            lower.verify_directly_issued_by(upper)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return len(chain) == 3 and any(identity(root) == identity(chain[2]) for root in roots)


def names(certificate):
    """Returns the digests by which a policy can distrust a certificate that is signed with ECDSA."""
    whole = certificate.public_bytes(serialization.Encoding.DER)
    tbs, signature = certificate.tbs_certificate_bytes, certificate.signature
    r, s = decode_dss_signature(signature)
    forms = [whole]
    for order in (ORDER, ORDER_384):
        if s < order:
            # Two signatures of different lengths change the lengths around them, so the certificate is written anew.
            other = encode_dss_signature(r, order - s)
            algorithm = whole[whole.index(tbs) + len(tbs) : whole.rindex(signature) - 3]
            algorithm = algorithm[: 2 + algorithm[1]]
            forms.append(element(0x30, tbs + algorithm + element(0x03, b"\0" + other)))
    serial = certificate.serial_number
    number = element(0x02, serial.to_bytes(serial.bit_length() // 8 + 1, "big"))
    issuer_and_serial = element(0x30, certificate.issuer.public_bytes() + number)
    return [hashlib.sha256(part).hexdigest() for part in [*forms, tbs, identity(certificate)[1], issuer_and_serial]]


def element(tag, content):
    count = len(content)
    size = (count.bit_length() + 7) // 8
    return bytes([tag] + ([count] if count < 128 else [128 + size, *count.to_bytes(size, "big")])) + content


def may_issue(certificate):
    """Returns whether a certificate is a CA that may sign certificates."""
    found = {extension.oid._name: extension.value for extension in certificate.extensions}
    constraints, usage = found.get("basicConstraints"), found.get("keyUsage")
    return bool(constraints and constraints.ca) and (usage is None or usage.key_cert_sign)


def audit_jws(group, test):
    roots, pinned = [], set()
    for root in group["roots"]:
        encoded = root["certificate"] if isinstance(root, dict) else root
        roots.append(x509.load_der_x509_certificate(base64.b64decode(encoded)))
        if isinstance(root, dict) and root.get("builtIn"):
            pinned.add(roots[-1])
    jws = text_of(test)
    if test["code"] == "untrusted-root" and pinned:
        # A built-in root is this one certificate, not every one with its name and key.
        return certificates(jws)[2] not in pinned
    if test["verdict"] == "verified":
        return is_signed_by_leaf(jws) and chained(jws, roots) and bool(test["kind"])
    if test["code"] == "root-cannot-issue":
        # A chain in every other respect: the only flaw is in the trusted root's own extensions.
        return is_signed_by_leaf(jws) and chained(jws, roots) and not any(map(may_issue, roots))
    if test["code"] == "certificate-distrusted":
        policy = test.get("policy", group["policy"])
        digests = {digest for certificate in [*certificates(jws), *roots] for digest in names(certificate)}
        return chained(jws, roots) and not digests.isdisjoint(map(str.lower, policy["distrusted"]))
    if test["code"] in AFTER_SIGNATURE:
        return is_signed_by_leaf(jws) and chained(jws, roots)
    if test["code"] == "signature-invalid":
        return not is_signed_by_leaf(jws) and chained(jws, roots)
    if test["code"] in {"chain-invalid", "untrusted-root"}:
        return not chained(jws, roots)
    if test["code"] == "signature-malformed":
        return chained(jws, roots)
    return True


# MARK: App receipts


class Unreadable(Exception):
    """Bytes that are not the elements of a container."""


def children(octets):
    """Returns the elements that follow each other, each as its identifier, its contents and all of its bytes.

    Elements of indefinite length are read too, so that receipts of Xcode can be audited.
    """
    found, at = [], 0
    while at < len(octets):
        end, inside, stop = extent(octets, at)
        found.append((octets[at], octets[inside:stop], octets[at:end]))
        at = end
    return found


def extent(octets, at, depth=0):
    """Returns the end of an element, and where its contents begin and end."""
    if at + 2 > len(octets) or depth > 32:
        raise Unreadable
    first = octets[at + 1]
    if first == 0x80:
        inside = end = at + 2
        while octets[end : end + 2] != b"\0\0":
            end = extent(octets, end, depth + 1)[0]
        return end + 2, inside, end
    count = first & 0x7F if first & 0x80 else 0
    inside = at + 2 + count
    size = int.from_bytes(octets[at + 2 : inside], "big") if count else first
    if count > 4 or inside + size > len(octets):
        raise Unreadable
    return inside + size, inside, inside + size


def signed_octets(tag, contents):
    """Returns the contents of an OCTET STRING, whose pieces BER allows to be apart."""
    return b"".join(signed_octets(*piece[:2]) for piece in children(contents)) if tag & 0x20 else contents


class Container:
    """The parts of an app receipt that the audit needs; any other form is unreadable."""

    def __init__(self, octets):
        [(_, inside, _)] = children(octets)
        body = children(children(children(inside)[1][1])[0][1])
        self.digest = next(iter(children(body[1][1])), None)
        [(tag, contents, _)] = children(children(body[2][1])[1][1])
        self.content = signed_octets(tag, contents)
        self.certificates = [x509.load_der_x509_certificate(whole) for _, _, whole in children(body[3][1])]
        self.signature = children(children(body[-1][1])[0][1])[4][1]

    def is_signed_by_leaf(self):
        hashes_by_oid = {b"\x2b\x0e\x03\x02\x1a": hashes.SHA1, b"\x60\x86\x48\x01\x65\x03\x04\x02\x01": hashes.SHA256}
        algorithm = hashes_by_oid[children(self.digest[1])[0][1]]()
        try:
            self.certificates[0].public_key().verify(self.signature, self.content, padding.PKCS1v15(), algorithm)
            return True
        except InvalidSignature:
            return False

    def is_chained(self, roots):
        """Returns whether each certificate is issued by the next and the last one is a root, byte for byte."""
        try:
            linked = all(map(is_issued, self.certificates, self.certificates[1:]))
        except InvalidSignature:
            return False
        return linked and len(self.certificates) in {1, 3} and self.certificates[-1] in roots


def is_issued(lower, upper):
    """Returns whether a certificate is issued by another; `verify_directly_issued_by` rejects SHA-1."""
    key, digest = upper.public_key(), lower.signature_hash_algorithm
    scheme = [ec.ECDSA(digest)] if isinstance(key, ec.EllipticCurvePublicKey) else [padding.PKCS1v15(), digest]
    key.verify(lower.signature, lower.tbs_certificate_bytes, *scheme)
    return lower.issuer == upper.subject


def receipt_octets(group, test):
    """Returns the bytes of a receipt; nothing for one that stands in a text."""
    if "text" in test:
        return None
    parts = test["receipt"] if isinstance(test["receipt"], list) else [test["receipt"]]
    octets = b""
    for part in parts:
        repeated = part if isinstance(part, dict) else {"repeat": part, "count": 1}
        encoded = group["shared"][part] if isinstance(part, int) else repeated["repeat"]
        octets += base64.b64decode(encoded) * repeated["count"]
    return octets


def audit_app_receipt(group, test):
    octets = receipt_octets(group, test)
    code = test["code"]
    if octets is None or code not in AFTER_SIGNATURE | {None, "signature-invalid", "chain-invalid", "untrusted-root"}:
        return True
    encoded = [root["certificate"] if isinstance(root, dict) else root for root in group["roots"]]
    roots = [x509.load_der_x509_certificate(base64.b64decode(root)) for root in encoded]
    if code == "untrusted-root" and any(
        isinstance(root, dict) and root.get("builtIn") == "jws" for root in group["roots"]
    ):
        return True
    container = Container(octets)
    if code in {"chain-invalid", "untrusted-root"}:
        return not container.is_chained(roots)
    return container.is_chained(roots) and container.is_signed_by_leaf() == (code != "signature-invalid")


PLAY_NAMES = ["data", "originalJson", "purchaseData", "INAPP_PURCHASE_DATA", "dataAndroid", "receipt", "signedData"]
PLAY_SIGNATURES = ["signature", "INAPP_DATA_SIGNATURE", "signatureAndroid"]


def audit_play(group, test):
    if test["code"] not in AFTER_SIGNATURE | {None, "signature-invalid"}:
        return True
    shape = json.loads(test["input"])
    # Without known names, the data and its signature are the two strings.
    if isinstance(shape, list):
        shape = dict(zip(("data", "signature"), shape))
    elif not set(shape) & set(PLAY_NAMES) or not set(shape) & set(PLAY_SIGNATURES):
        shape = dict(zip(("data", "signature"), shape.values()))
    data = next(shape[name] for name in PLAY_NAMES if name in shape)
    digits = next(shape[name] for name in PLAY_SIGNATURES if name in shape).translate(str.maketrans("-_", "+/", "= \n"))
    signature = base64.b64decode(digits + "=" * (-len(digits) % 4))
    try:
        package = json.loads(data)["packageName"]
    except (ValueError, TypeError, KeyError):
        package = None
    text = group["keys"].get(package) or next(iter(group["keys"].values()))
    key = (
        serialization.load_pem_public_key(text.encode())
        if "BEGIN" in text
        else serialization.load_der_public_key(base64.b64decode(text))
    )
    try:
        key.verify(signature, data.encode(), padding.PKCS1v15(), hashes.SHA1())
        return test["code"] != "signature-invalid"
    except InvalidSignature:
        return test["code"] == "signature-invalid"


def load_key(form, value):
    if form == "spki-pem":
        return serialization.load_pem_public_key(value.encode())
    octets = base64.b64decode(value)
    if form == "spki-der":
        return serialization.load_der_public_key(octets)
    if form == "x963":
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), octets)
    return x509.load_der_x509_certificate(octets).public_key()


def audit_es256(group, test):
    try:
        key = load_key(**group["publicKey"])
        usable = isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1)
    except Exception:  # the library reports unusable keys with many types of errors
        usable = False
    if usable != group.get("keyValid", True):
        return False
    signature = base64.b64decode(test["signature"])
    return test["valid"] == (usable and es256(key, base64.b64decode(test["message"]), signature))


def audit_base64url(group, test):
    text, expected = test["text"], test["bytes"]
    try:
        octets = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
        octets = octets if base64.urlsafe_b64encode(octets).rstrip(b"=").decode() == text else None
    except ValueError:
        octets = None
    return octets == (None if expected is None else base64.b64decode(expected))


def audit_cache(group, test):
    file, key = base64.b64decode(test["file"]), bytes.fromhex(group["sealingKey"])
    if len(file) < 45 or file[:9] != b"RVKCACHE\x02" or file[9:17] != hashlib.sha256(key).digest()[:8]:
        return test["code"] in {"cache-truncated", "cache-foreign", "cache-version", "cache-key"}
    try:
        content = AESGCM(key).decrypt(file[17:29], file[29:], file[:29])
    except InvalidTag:
        return test["code"] == "cache-damaged"
    if test["outcome"] == "ignored":
        return test["code"] == "cache-content"
    return test["entries"] == min(64, len(json.loads(content)["entries"]))


def audit_input(group, test):
    return all(item["form"] in {"jws", "play", "app-receipt"} for item in test["items"])


AUDITS = {
    "jws": audit_jws,
    "app-receipt": audit_app_receipt,
    "play": audit_play,
    "es256": audit_es256,
    "base64url": audit_base64url,
    "key-cache": audit_cache,
    "input": audit_input,
}


def audited(group, test):
    try:
        return AUDITS[group["type"]](group, test)
    except Exception as error:
        print(f"  {type(error).__name__}: {error}", file=sys.stderr)
        return False


def run(folder):
    """Checks every file; prints a line for each finding, then the number of vectors for each code."""
    counts, findings, total = collections.Counter(), 0, 0
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_bytes())
        tests = [(group, test) for group in document["groups"] for test in group["tests"]]
        ids = {test["id"] for _, test in tests}
        flags = {flag for _, test in tests for flag in test["flags"]}
        sound = len(ids) == len(tests) == document["numberOfTests"] and flags == set(document["notes"])
        for group, test in tests:
            if not audited(group, test):
                print(f"finding: {path.name} {test['id']}: {test['comment']} ({test.get('code')})")
                findings += 1
            counts[test.get("code") or ("verified" if test.get("verdict") == "verified" else "no code")] += 1
        findings += not sound
        total += len(tests)
        print(f"{path.name}: {len(tests)} tests, {'sound' if sound else 'the IDs, the count or the flags are wrong'}")
    for code in CODES + sorted(set(counts) - set(CODES)):
        print(f"{counts[code]:6} {code}")
    unreached = ", ".join(code for code in CODES if not counts[code]) or "none"
    print(f"{total} tests, {findings} findings; codes without a vector: {unreached}")
    return 1 if findings else 0
