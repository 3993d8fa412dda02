"""jws-anchors.json: what a trust anchor may issue, for which environments, and which certificates are distrusted."""

import hashlib
from dataclasses import replace

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from .. import certs, der, p256, payloads
from ..authority import (
    FULL_CHAIN,
    INTERMEDIATE,
    INTERMEDIATE_KEY,
    LEAF,
    LEAF_KEY,
    OTHER_CHAIN,
    OTHER_ROOT,
    ROOT,
    ROOT_KEY,
    XCODE,
    XCODE_CHAIN,
    XCODE_KEY,
    Chain,
    chain,
    chain_under,
    intermediate_extensions,
    make_intermediate,
    make_leaf,
    make_root,
    make_xcode,
    root_extensions,
    without,
)
from ..certs import CRL_SIGN, DIGITAL_SIGNATURE, KEY_CERT_SIGN, basic_constraints, key_usage
from ..jws import sign
from ..keys import ECKey
from ..payloads import ABSENT, ms
from ..payloads import brief_transaction as transaction
from ..vectorfile import VectorFile, anchored

TESTS = ["Sandbox", "Xcode", "LocalTesting"]
# The order of the group of each curve on which an issuer of the vectors signs.
ORDERS = {
    "secp256r1": p256.N,
    "secp384r1": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
}
STRICT = {
    "apps": [{"bundleId": payloads.BUNDLE_ID}],
    "environments": ["Production", "Sandbox", "Xcode"],
    "strict": True,
}


def build():
    file = VectorFile("jws-anchors.json", "what trust anchors may issue, their environments, distrusted certificates")
    issuing(file)
    alone(file)
    limits(file)
    beside_built_in(file)
    renewed(file)
    renewed_limits(file)
    built_in(file)
    distrusted(file)
    return file


def digest(certificate):
    return hashlib.sha256(certificate.der).hexdigest()


def digest_of_tbs(certificate):
    return hashlib.sha256(x509.load_der_x509_certificate(certificate.der).tbs_certificate_bytes).hexdigest()


def digest_of_key(certificate):
    return hashlib.sha256(certificate.key.spki()).hexdigest()


def digest_of_issuer_and_serial(certificate):
    read = x509.load_der_x509_certificate(certificate.der)
    return hashlib.sha256(der.sequence(read.issuer.public_bytes(), der.integer(read.serial_number))).hexdigest()


def other_form(certificate, issuer):
    """Returns the certificate with n - s in place of s in its signature."""
    read = x509.load_der_x509_certificate(certificate.der)
    r, s = decode_dss_signature(read.signature)
    signature = encode_dss_signature(r, ORDERS[issuer.key.curve.name] - s)
    algorithm = certs.algorithm_identifier(issuer.key, certs.default_digest(issuer.key))
    return replace(
        certificate, der=der.sequence(read.tbs_certificate_bytes, algorithm, der.bit_string(signature))
    )


def of(environment, made=None, **changes):
    return sign(transaction(environment=environment, **changes), made or chain())


def issuing(file):
    usage = root_extensions()
    for comment, extensions in [
        ("without extensions", {}),
        ("without basicConstraints", without(usage, "basicConstraints")),
        ("with CA false", {**usage, "basicConstraints": basic_constraints(False)}),
        ("with CA true and keyUsage cRLSign only", {**usage, "keyUsage": key_usage(CRL_SIGN)}),
        ("with CA true and keyUsage digitalSignature only", {**usage, "keyUsage": key_usage(DIGITAL_SIGNATURE)}),
        ("as an end-entity certificate", {"keyUsage": key_usage(DIGITAL_SIGNATURE)}),
    ]:
        root = make_root(extensions=extensions)
        group = file.jws(f"A trust anchor {comment} issues no chain", [root])
        group.refused(
            "a chain of three, x5c[2] is the anchor", sign(transaction(), chain(root=root)), "root-cannot-issue"
        )
        group.refused(
            "x5c[2] is a CA certificate with the anchor's name and key", sign(transaction()), "root-cannot-issue"
        )
        group.refused("environment Xcode", of("Xcode", chain(root=root)), "root-cannot-issue")
    for comment, extensions in [
        ("with CA true and no keyUsage", without(usage, "keyUsage")),
        ("with CA true and keyUsage keyCertSign only", {**usage, "keyUsage": key_usage(KEY_CERT_SIGN)}),
        ("with CA true, not critical", {**usage, "basicConstraints": basic_constraints(True, critical=False)}),
    ]:
        root = make_root(extensions=extensions)
        group = file.jws(f"A trust anchor {comment} issues chains", [root])
        group.verified("a chain of three", sign(transaction(), chain(root=root)))
    local = file.jws("A trusted certificate of Xcode, a CA without keyCertSign, issues no chain", [XCODE])
    local.refused(
        "a chain of three in Production", sign(transaction(), chain_under(XCODE)), "root-cannot-issue", "Forged"
    )
    local.refused("a chain of three in Xcode", of("Xcode", chain_under(XCODE)), "root-cannot-issue", "Forged")
    leaf = file.jws("A trusted leaf issues no chain", [LEAF])
    leaf.refused(
        "a chain of three under the leaf", sign(transaction(), chain_under(LEAF)), "root-cannot-issue", "Forged"
    )


def alone(file):
    plain = make_xcode(key=ECKey("plain local"))
    no_ca = certs.issue(
        certs.name("Local Purchase Testing"),
        ECKey("no ca"),
        extensions=[key_usage(DIGITAL_SIGNATURE)],
        not_before="2025-06-01",
        not_after="2026-06-01",
    )
    group = file.jws("A trusted certificate that is no CA verifies receipts that it has signed itself", [no_ca, plain])
    itself = Chain((no_ca,), no_ca.key)
    group.verified("environment Xcode", of("Xcode", itself))
    group.verified("environment LocalTesting", of("LocalTesting", itself))
    for environment in ("Production", "Sandbox"):
        group.refused(f"environment {environment}", of(environment, itself), "environment-mismatch")
    group.refused("environment missing", of(ABSENT, itself), "environment-mismatch")
    group.refused(
        "app transaction of type Production", sign(payloads.app_transaction(), itself), "environment-mismatch"
    )


def limits(file):
    group = file.jws("A trust anchor for Sandbox only", [anchored(ROOT, ["Sandbox"])])
    group.verified("environment Sandbox", of("Sandbox"))
    group.verified(
        "app transaction of type Sandbox", sign(payloads.app_transaction(receiptType="Sandbox")), "appTransaction"
    )
    for environment in ("Production", "Xcode", "LocalTesting", "sandbox", "Sandbox ", "Staging", ""):
        group.refused(f"environment {environment!r}", of(environment), "root-environment-mismatch")
    group.refused("environment missing", of(ABSENT), "root-environment-mismatch")
    group.refused(
        "app transaction of type Production", sign(payloads.app_transaction()), "root-environment-mismatch"
    )
    group.refused(
        "renewal info without environment",
        sign(payloads.renewal_info(environment=ABSENT)),
        "root-environment-mismatch",
    )
    group.refused(
        "the policy accepts Production too",
        of("Production"),
        "root-environment-mismatch",
        policy={"environments": ["Production", "Sandbox"]},
    )
    group.refused(
        "the policy requires Production of a Sandbox receipt",
        of("Sandbox"),
        "environment-mismatch",
        policy={"environments": ["Production"]},
    )
    nested = sign(transaction(environment="Production"))
    group.refused(
        "notification of Sandbox with a transaction of Production",
        sign(payloads.notification(data=payloads.data(environment="Sandbox", signedTransactionInfo=nested))),
        "nested-unverified",
    )
    none = file.jws("A trust anchor for no environment", [anchored(ROOT, [])])
    none.refused("environment Sandbox", of("Sandbox"), "root-environment-mismatch")
    production = file.jws("A trust anchor for Production only", [anchored(ROOT, ["Production"])])
    production.verified("environment Production", of("Production"))
    production.refused("environment Sandbox", of("Sandbox"), "root-environment-mismatch")
    two = file.jws("Two trust anchors, for Sandbox and for Production", [
        anchored(ROOT, ["Sandbox"]), anchored(OTHER_ROOT, ["Production"]),
    ])
    two.verified("Sandbox under the first", of("Sandbox"))
    two.verified("Production under the second", of("Production", OTHER_CHAIN))
    two.refused("Production under the first", of("Production"), "root-environment-mismatch", "Forged")
    two.refused("Sandbox under the second", of("Sandbox", OTHER_CHAIN), "root-environment-mismatch")
    local = file.jws("A certificate of Xcode for Xcode only", [anchored(XCODE, ["Xcode"])])
    local.verified("environment Xcode", of("Xcode", XCODE_CHAIN))
    local.refused("environment LocalTesting", of("LocalTesting", XCODE_CHAIN), "root-environment-mismatch")
    broad = file.jws("A certificate of Xcode for Production", [anchored(XCODE, ["Production", "Xcode"])])
    broad.verified("environment Xcode", of("Xcode", XCODE_CHAIN))
    broad.refused("environment Production", of("Production", XCODE_CHAIN), "environment-mismatch", "Forged")


def beside_built_in(file):
    apple = anchored(OTHER_ROOT, built_in=True)
    group = file.jws("A given root without a limit beside a built-in root", [apple, ROOT])
    group.verified("Production, not strict", of("Production"))
    group.verified("Sandbox, strict", of("Sandbox"), policy=STRICT)
    group.refused("Production, strict", of("Production"), "given-root-for-production", policy=STRICT)
    group.refused("environment missing, strict", of(ABSENT), "given-root-for-production", policy=STRICT)
    group.refused("an unknown environment, strict", of("Staging"), "given-root-for-production", policy=STRICT)
    group.verified("Production under the built-in root, strict", of("Production", OTHER_CHAIN), policy=STRICT)
    confirmed = file.jws("A given root for Production by name beside a built-in root", [
        apple, anchored(ROOT, ["Production", "Sandbox"]),
    ])
    confirmed.verified("Production, strict", of("Production"), policy=STRICT)
    confirmed.verified("Sandbox, strict", of("Sandbox"), policy=STRICT)
    limited = file.jws("A given root for tests beside a built-in root", [apple, anchored(ROOT, TESTS)])
    limited.verified("Sandbox", of("Sandbox"))
    limited.refused("Production, not strict", of("Production"), "root-environment-mismatch", "Forged")
    only = file.jws("A given root alone", [ROOT])
    only.verified("Production, strict", of("Production"), policy=STRICT)


def renewed(file):
    old = make_root(not_before="2020-01-01", not_after="2025-06-01")
    new = make_root(not_before="2025-05-01", not_after="2045-01-01")
    not_ca = make_root(extensions={})
    closed = make_root(extensions={**root_extensions(), "basicConstraints": basic_constraints(True, 0)})
    early, late = ms("2025-03-01"), ms("2025-09-01")
    for names, roots in [("old, then new", [old, new]), ("new, then old", [new, old])]:
        group = file.jws(f"A renewed root, {names}: one name and key, other dates", roots)
        for shown, root in (("old", old), ("new", new)):
            made = chain(root=root)
            group.verified(
                f"x5c[2] is the {shown} root, signed while the old was valid", of("Production", made, signedDate=early)
            )
            group.verified(
                f"x5c[2] is the {shown} root, signed while the new is valid", of("Production", made, signedDate=late)
            )
        group.refused(
            "signed before the leaf was valid",
            of("Production", signedDate=ms("2024-12-31")),
            "certificate-not-yet-valid",
        )
    for names, roots in [("first", [not_ca, ROOT]), ("last", [ROOT, not_ca])]:
        group = file.jws(f"Two anchors with one name and key, the one that is no CA {names}", roots)
        group.verified("x5c[2] is the CA", of("Production"))
        group.verified("x5c[2] is the other certificate", of("Production", chain(root=not_ca)), flags="Odd")
    for names, roots in [("first", [closed, ROOT]), ("last", [ROOT, closed])]:
        group = file.jws(f"Two anchors with one name and key, the one with path length 0 {names}", roots)
        group.verified("x5c[2] is the open one", of("Production"))
        group.verified("x5c[2] is the closed one", of("Production", chain(root=closed)))


def renewed_limits(file):
    twin = make_root(not_after="2046-01-01")
    for names, roots in [
        ("Sandbox, then Production", [anchored(ROOT, ["Sandbox"]), anchored(twin, ["Production"])]),
        ("Production, then Sandbox", [anchored(twin, ["Production"]), anchored(ROOT, ["Sandbox"])]),
    ]:
        group = file.jws(f"Two anchors with one name and key, for {names}", roots)
        group.verified("Sandbox", of("Sandbox"))
        group.verified("Production", of("Production"))
        group.verified("Sandbox again, with the key in the cache", of("Sandbox"))
        group.refused("Xcode", of("Xcode"), "root-environment-mismatch")
    apple = anchored(OTHER_ROOT, built_in=True)
    for names, roots in [
        ("first", [apple, ROOT, anchored(twin, ["Production"])]),
        ("last", [apple, anchored(twin, ["Production"]), ROOT]),
    ]:
        group = file.jws(
            f"Beside a built-in root, two anchors with one name and key, the one without a limit {names}", roots
        )
        group.verified("Sandbox, strict", of("Sandbox"), policy=STRICT)
        group.verified("Production, strict", of("Production"), policy=STRICT)


def built_in(file):
    without_usage = without(intermediate_extensions(), "keyUsage")
    intermediate = make_intermediate(extensions=without_usage)
    made = chain(make_leaf(intermediate), intermediate)
    group = file.jws("Under a built-in root the intermediate needs keyUsage", [anchored(ROOT, built_in=True)])
    group.verified("keyUsage keyCertSign", of("Production"))
    group.refused("keyUsage missing", of("Production", made), "intermediate-key-usage")
    both = file.jws("A built-in root, and a given one with the same name and key", [
        anchored(ROOT, built_in=True), make_root(not_after="2046-01-01"),
    ])
    both.verified("keyUsage missing, accepted under the given root", of("Sandbox", made), flags="Odd")
    both.verified("keyUsage keyCertSign, strict", of("Production"), policy=STRICT)
    group.refused(
        "x5c[2] has the built-in root's name and key and is another certificate",
        of("Production", chain(root=make_root(not_after="2046-01-01"))),
        "untrusted-root",
        "Forged",
    )


def distrusted_forms(file):
    """Each certificate of the chain with the other form of its ECDSA signature, which no signature covers."""
    group = file.jws("Both forms of a signature of a certificate that the policy distrusts", [ROOT])
    leaf, intermediate = other_form(LEAF, INTERMEDIATE), other_form(INTERMEDIATE, ROOT)
    root = other_form(ROOT, ROOT)
    forms = {
        "as issued": chain(),
        "with a leaf in the other form": chain(leaf=leaf),
        "with an intermediate in the other form": chain(intermediate=intermediate),
        "with both in the other form": chain(leaf=leaf, intermediate=intermediate),
        "with a root in the other form": chain(root=root),
    }
    for form, signer in forms.items():
        receipt = of("Production", signer)
        group.verified(f"nothing, {form}", receipt)
        for name, certificate, other in (("leaf", LEAF, leaf), ("intermediate", INTERMEDIATE, intermediate)):
            for named, distrusted in (
                ("certificate", digest(certificate)),
                ("certificate in the other form", digest(other)),
                ("TBSCertificate", digest_of_tbs(certificate)),
                ("key", digest_of_key(certificate)),
                ("issuer and serial number", digest_of_issuer_and_serial(certificate)),
            ):
                group.refused(
                    f"the {name} by its {named}, {form}",
                    receipt,
                    "certificate-distrusted",
                    policy={"distrusted": [distrusted]},
                )
    for named, distrusted in (
        ("certificate in the other form", digest(root)),
        ("TBSCertificate", digest_of_tbs(ROOT)),
        ("key", digest_of_key(ROOT)),
        ("issuer and serial number", digest_of_issuer_and_serial(ROOT)),
    ):
        group.refused(
            f"the root by its {named}",
            of("Production"),
            "certificate-distrusted",
            policy={"distrusted": [distrusted]},
        )
    leaf, intermediate, root = FULL_CHAIN.certificates
    wide = file.jws("Both forms of a signature on P-384 of a certificate that the policy distrusts", [root])
    for name, signer, distrusted in (
        ("leaf", Chain((other_form(leaf, intermediate), intermediate, root), leaf.key), leaf),
        ("intermediate", Chain((leaf, other_form(intermediate, root), root), leaf.key), intermediate),
    ):
        wide.verified(f"nothing, with the {name} in the other form", of("Production", signer))
        wide.refused(
            f"the {name} by its certificate, in the other form",
            of("Production", signer),
            "certificate-distrusted",
            policy={"distrusted": [digest(distrusted)]},
        )
    renewed = make_leaf(not_after="2040-01-01", serial=77)
    group.refused(
        "the leaf by its key, with another certificate for the key",
        of("Production", chain(leaf=renewed)),
        "certificate-distrusted",
        policy={"distrusted": [digest_of_key(LEAF)]},
    )
    group.verified(
        "the leaf by its certificate, with another certificate for the key",
        of("Production", chain(leaf=renewed)),
        policy={"distrusted": [digest(LEAF), digest_of_tbs(LEAF), digest_of_issuer_and_serial(LEAF)]},
    )


def distrusted(file):
    group = file.jws("Certificates that the policy distrusts", [ROOT])
    stranger = digest(OTHER_ROOT)
    group.verified("none", of("Production"))
    for name, certificate in (("leaf", LEAF), ("intermediate", INTERMEDIATE), ("root", ROOT)):
        group.refused(
            f"the {name}", of("Production"), "certificate-distrusted", policy={"distrusted": [digest(certificate)]}
        )
    group.refused(
        "one of several", of("Production"), "certificate-distrusted", policy={"distrusted": [stranger, digest(LEAF)]}
    )
    group.refused(
        "the digest in upper case",
        of("Production"),
        "certificate-distrusted",
        policy={"distrusted": [digest(LEAF).upper()]},
    )
    group.verified("another certificate", of("Production"), policy={"distrusted": [stranger]})
    group.verified("none again, with the key in the cache", of("Production"))
    second = chain(make_leaf(key=ECKey("second leaf")))
    group.verified(
        "another leaf of the same intermediate", of("Production", second), policy={"distrusted": [digest(LEAF)]}
    )
    group.refused(
        "the intermediate, with another leaf",
        of("Production", second),
        "certificate-distrusted",
        policy={"distrusted": [digest(INTERMEDIATE)]},
    )
    nested = sign(transaction(), second)
    notification = sign(payloads.notification(data=payloads.data(signedTransactionInfo=nested)))
    group.verified("notification with a transaction of another leaf", notification, "notification")
    group.refused(
        "notification whose transaction has a distrusted leaf",
        notification,
        "nested-unverified",
        policy={"distrusted": [digest(second.certificates[0])]},
    )
    distrusted_forms(file)
    local = file.jws("A certificate of Xcode that the policy distrusts", [XCODE])
    local.refused(
        "environment Xcode",
        of("Xcode", XCODE_CHAIN),
        "certificate-distrusted",
        policy={"distrusted": [digest(XCODE)]},
    )
    twin = make_root(not_after="2046-01-01")
    both = file.jws("Two anchors with one name and key, one of them distrusted", [ROOT, twin])
    both.verified("the chain is good under the other", of("Production"), policy={"distrusted": [digest(ROOT)]})
    both.refused(
        "both distrusted",
        of("Production"),
        "certificate-distrusted",
        policy={"distrusted": [digest(ROOT), digest(twin)]},
    )
    both.refused(
        "their key distrusted",
        of("Production"),
        "certificate-distrusted",
        policy={"distrusted": [digest_of_key(ROOT)]},
    )
    assert (ROOT.key, INTERMEDIATE.key, LEAF.key, XCODE.key) == (ROOT_KEY, INTERMEDIATE_KEY, LEAF_KEY, XCODE_KEY)
