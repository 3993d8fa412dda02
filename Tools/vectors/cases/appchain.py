"""app-receipt-chain.json: the rules for the RSA chain of an app receipt, each broken alone."""

import hashlib

from cryptography import x509

from .. import certs, der
from ..appreceipt import (
    CREATED,
    INTERMEDIATE,
    INTERMEDIATE_KEY,
    INTERMEDIATE_NAME,
    LEAF,
    LEAF_KEY,
    OTHER,
    OTHER_NAME,
    OTHER_ROOT,
    ROOT,
    ROOT_KEY,
    ROOT_NAME,
    STANDARD,
    XCODE,
    XCODE_CHAIN,
    chain,
    chain_under,
    intermediate,
    leaf,
    local,
    payload,
    receipt,
    root,
    single,
)
from ..authority import ROOT as JWS_ROOT
from ..authority import (
    Chain,
    identifiers,
    intermediate_extensions,
    leaf_extensions,
    root_extensions,
    without,
)
from ..certs import (
    CRL_SIGN,
    DIGITAL_SIGNATURE,
    INTERMEDIATE_MARKER,
    KEY_CERT_SIGN,
    KEY_ENCIPHERMENT,
    LEAF_MARKER,
    NON_REPUDIATION,
    PRIVATE_EXTENSION,
    basic_constraints,
    key_usage,
    marker,
)
from ..keys import ECKey, Ed25519Key, RSAKey
from ..vectorfile import VectorFile, anchored

RSA_1024 = RSAKey("rsa-1024", 1024)
UNKNOWN_CRITICAL = certs.extension(PRIVATE_EXTENSION, der.null(), critical=True)
UNKNOWN = certs.extension(PRIVATE_EXTENSION, der.null())
# The first instant at which the App Store marked the certificates that sign receipts.
MARKED_SINCE = "2012-01-01T00:00:00Z"


def build():
    file = VectorFile("app-receipt-chain.json", "app receipts: root pin, leaf, intermediate, links, SHA-1, roots")
    leaf_rules(file)
    generations(file)
    leaf_keys(file)
    intermediate_rules(file)
    root_rules(file)
    pins(file)
    critical_extensions(file)
    algorithms(file)
    links(file)
    malformed(file)
    distrusted(file)
    environments(file)
    return file


def group(file, comment, roots=(ROOT,), made=STANDARD, **fields):
    return file.app_receipts(comment, roots, made.ders(), **fields)


def with_leaf(*dropped, **changes):
    """Returns a receipt signed by a leaf with changed extensions."""
    return receipt(by=chain(leaf(extensions={**without(leaf_extensions(), *dropped), **changes})))


def with_intermediate(*dropped, **changes):
    """Returns a receipt whose leaf is issued by an intermediate with changed extensions."""
    middle = intermediate(extensions={**without(intermediate_extensions(), *dropped), **changes})
    return receipt(by=chain(leaf(middle), middle))


def leaf_rules(file):
    tests = group(file, "Requirements for the leaf")
    tests.verified("basicConstraints missing: not a CA", with_leaf("basicConstraints"))
    tests.verified("keyUsage missing: any use allowed", with_leaf("keyUsage"))
    tests.verified("marker critical", with_leaf(marker=marker(LEAF_MARKER, critical=True)))
    tests.verified("subject and authority key identifiers", with_leaf(**identifiers(LEAF_KEY, INTERMEDIATE_KEY)))
    tests.verified("both markers", with_leaf(other=marker(INTERMEDIATE_MARKER)), "Odd")
    tests.refused("CA true", with_leaf(basicConstraints=basic_constraints(True)), "leaf-is-ca")
    tests.refused(
        "CA true, not critical", with_leaf(basicConstraints=basic_constraints(True, critical=False)), "leaf-is-ca"
    )
    for comment, positions in [
        ("keyEncipherment only", [KEY_ENCIPHERMENT]),
        ("nonRepudiation only", [NON_REPUDIATION]),
        ("keyCertSign and cRLSign only", [KEY_CERT_SIGN, CRL_SIGN]),
    ]:
        tests.refused(f"keyUsage: {comment}", with_leaf(keyUsage=key_usage(*positions)), "leaf-key-usage")
    tests.refused("no marker", with_leaf("marker"), "leaf-marker-missing")
    tests.refused("the intermediate's marker", with_leaf(marker=marker(INTERMEDIATE_MARKER)), "leaf-marker-missing")
    tests.refused("the marker with one more arc", with_leaf(marker=marker(LEAF_MARKER + ".1")), "leaf-marker-missing")
    tests.refused(
        "no marker, but the App Store's extendedKeyUsage",
        with_leaf("marker", usage=certs.extended_key_usage()),
        "leaf-marker-missing",
    )


def generations(file):
    old = root(not_before="2006-01-01")
    middle = intermediate(old, not_before="2008-01-01")
    unmarked = without(leaf_extensions(), "marker")
    tests = group(file, "Certificates of the time in which receipts had no marker", [old], chain(LEAF, middle, old))
    for comment, not_before, code in [
        ("from 2010", "2010-11-01T00:00:00Z", "unmarked-generation"),
        ("valid from the last second of 2011", "2011-12-31T23:59:59Z", "unmarked-generation"),
        ("valid from the first second of 2012", MARKED_SINCE, "leaf-marker-missing"),
    ]:
        made = chain(leaf(middle, extensions=unmarked, not_before=not_before), middle, old)
        tests.refused(f"a leaf without a marker, {comment}", receipt(by=made), code, "Boundary")
        marked = chain(leaf(middle, not_before=not_before), middle, old)
        tests.verified(f"a leaf with the marker, {comment}", receipt(by=marked))


def leaf_keys(file):
    tests = group(file, "The key of the leaf: RSA of 2048 to 4096 bits")
    for name, bits in [("play-3072", 3072), ("app-receipt-4096", 4096)]:
        tests.verified(f"RSA with {bits} bits", receipt(by=chain(leaf(key=RSAKey(name, bits)))), "Boundary")
    for name, bits in [("rsa-1024", 1024), ("app-receipt-2040", 2040), ("app-receipt-4104", 4104)]:
        tests.refused(f"RSA with {bits} bits", receipt(by=chain(leaf(key=RSAKey(name, bits)))), "leaf-key-unsupported")
    for comment, key in [("P-256", ECKey("leaf")), ("Ed25519", Ed25519Key("leaf"))]:
        tests.refused(f"a key of the type {comment}", receipt(by=chain(leaf(key=key))), "leaf-key-unsupported")


def intermediate_rules(file):
    tests = group(file, "Requirements for the intermediate")
    tests.verified("keyUsage missing, under a given root", with_intermediate("keyUsage"))
    tests.verified("path length missing", with_intermediate(basicConstraints=basic_constraints(True)))
    tests.verified("marker critical", with_intermediate(marker=marker(INTERMEDIATE_MARKER, critical=True)))
    tests.refused("CA false", with_intermediate(basicConstraints=basic_constraints(False)), "intermediate-not-ca")
    tests.refused("basicConstraints missing", with_intermediate("basicConstraints"), "intermediate-not-ca")
    for comment, positions in [("digitalSignature only", [DIGITAL_SIGNATURE]), ("cRLSign only", [CRL_SIGN])]:
        changed = with_intermediate(keyUsage=key_usage(*positions))
        tests.refused(f"keyUsage: {comment}", changed, "intermediate-key-usage")
    tests.refused("no marker", with_intermediate("marker"), "intermediate-marker-missing")
    tests.refused("the leaf's marker", with_intermediate(marker=marker(LEAF_MARKER)), "intermediate-marker-missing")
    middle = intermediate(key=RSA_1024)
    tests.refused("an RSA key of 1024 bits", receipt(by=chain(leaf(middle), middle)), "certificate-algorithm")


def root_rules(file):
    for comment, dropped, changes, code in [
        ("keyUsage missing", "keyUsage", {}, None),
        ("path length 1", "", {"basicConstraints": basic_constraints(True, 1)}, None),
        ("path length 0", "", {"basicConstraints": basic_constraints(True, 0)}, "intermediate-path-length"),
        ("CA false", "", {"basicConstraints": basic_constraints(False)}, "root-cannot-issue"),
        ("basicConstraints missing", "basicConstraints", {}, "root-cannot-issue"),
        ("keyUsage: cRLSign only", "", {"keyUsage": key_usage(CRL_SIGN)}, "root-cannot-issue"),
    ]:
        top = root(extensions={**without(root_extensions(), dropped), **changes})
        tests = group(file, f"A root with an extension changed: {comment}", [top], chain(top=top))
        made = receipt(by=chain_under(top))
        if code:
            tests.refused("a receipt under it", made, code)
        else:
            tests.verified("a receipt under it", made)


def pins(file):
    tests = group(file, "The root in the receipt is the trusted one, byte for byte")
    renewed = root(not_after="2046-01-01")
    for comment, top in [
        ("a renewed root with the same name and key", renewed),
        ("another root with the same name", root(key=LEAF_KEY)),
        ("the root without extensions", root(extensions={})),
        ("the root signed with SHA-1", root(digest="sha1")),
        ("the root with another serial number", root(serial=1)),
    ]:
        tests.refused(comment, receipt(by=chain(top=top)), "untrusted-root", "OneFlaw Forged")
    tests.refused("the root of another authority at the end", receipt(by=chain(top=OTHER_ROOT)), "chain-invalid")
    tests.refused("a complete chain of another authority", receipt(by=OTHER), "untrusted-root", "OneFlaw Forged")
    top = root(key=LEAF_KEY)
    middle = intermediate(top, key=ROOT_KEY)
    own = chain(leaf(middle, key=INTERMEDIATE_KEY), middle, top)
    tests.refused(
        "an authority with the same names and other keys", receipt(by=own), "untrusted-root", "OneFlaw Forged"
    )
    tests = group(file, "Two roots", [OTHER_ROOT, ROOT])
    tests.verified("under the first", receipt(by=OTHER))
    tests.verified("under the second", receipt())
    tests.refused("the root of one above the chain of the other", receipt(by=chain(top=OTHER_ROOT)), "chain-invalid")
    tests = group(file, "A root and its renewal, both trusted", [renewed, ROOT])
    tests.verified("the root in the receipt", receipt())
    tests.verified("its renewal in the receipt", receipt(by=chain(top=renewed)))
    tests = group(file, "A built-in root for app receipts", [anchored(ROOT, built_in=True)])
    tests.verified("under it", receipt())
    tests.refused("a renewed root with the same name and key", receipt(by=chain(top=renewed)), "untrusted-root")
    tests.refused("keyUsage missing in the intermediate", with_intermediate("keyUsage"), "intermediate-key-usage")
    both = [anchored(ROOT, built_in="jws"), anchored(OTHER_ROOT, built_in=True)]
    tests = group(file, "A built-in root for JWS beside one for app receipts", both)
    tests.verified("under the root for app receipts", receipt(by=OTHER))
    tests.refused("under the root for JWS", receipt(), "untrusted-root")
    tests = group(file, "A built-in root for JWS alone", [anchored(ROOT, built_in="jws")])
    tests.refused("under it", receipt(), "no-trust-anchor", "Undecided")
    tests = group(file, "No root at all", [])
    tests.refused("a receipt", receipt(), "no-trust-anchor", "Undecided")
    tests = group(file, "The intermediate or the leaf as a root", [INTERMEDIATE, LEAF])
    tests.refused("the genuine chain", receipt(), "untrusted-root")
    tests = group(file, "The root of JWS, which has a P-256 key", [JWS_ROOT])
    tests.refused("a receipt under another root", receipt(), "untrusted-root")


def critical_extensions(file):
    tests = group(file, "Critical extensions")
    code = "certificate-critical-extension"
    usage, server = certs.extended_key_usage, certs.SERVER_AUTHENTICATION
    tests.verified("an unknown extension of the leaf, not critical", with_leaf(other=UNKNOWN))
    tests.verified("critical extendedKeyUsage codeSigning", with_leaf(other=usage(critical=True)))
    tests.verified("extendedKeyUsage serverAuth, not critical", with_leaf(other=usage(server)))
    tests.refused("an unknown critical extension of the leaf", with_leaf(other=UNKNOWN_CRITICAL), code)
    tests.refused("an unknown critical extension of the intermediate", with_intermediate(other=UNKNOWN_CRITICAL), code)
    tests.refused("critical extendedKeyUsage serverAuth", with_leaf(other=usage(server, critical=True)), code)
    tests.refused("critical name constraints", with_intermediate(other=certs.name_constraints()), code)


def algorithms(file):
    tests = group(file, "The algorithms of the signatures on certificates")
    for digest in ("sha1", "sha256", "sha384", "sha512"):
        tests.verified(f"leaf signed with RSA and {digest}", receipt(by=chain(leaf(digest=digest))))
        middle = intermediate(digest=digest)
        tests.verified(f"intermediate signed with RSA and {digest}", receipt(by=chain(leaf(middle), middle)))
    tests.refused("leaf signed with RSA and md5", receipt(by=chain(leaf(digest="md5"))), "certificate-algorithm")
    middle = intermediate(digest="md5")
    made = receipt(by=chain(leaf(middle), middle))
    tests.refused("intermediate signed with RSA and md5", made, "certificate-algorithm")
    small = root(key=RSA_1024)
    tests = group(file, "A root with an RSA key of 1024 bits", [small], chain(top=small))
    tests.refused("a receipt under it", receipt(by=chain_under(small)), "certificate-algorithm")
    curve = root(key=ECKey("root"))
    middle = intermediate(curve)
    tests = group(file, "A root with a P-256 key", [curve], chain(top=curve))
    tests.refused(
        "the intermediate signed with ECDSA and SHA-1",
        receipt(by=chain_under(curve, digest="sha1")),
        "certificate-algorithm",
    )


def links(file):
    tests = group(file, "Names and signatures between the certificates")
    stranger = RSAKey("play", 2048)
    forged = intermediate(signing_key=stranger)
    renamed = intermediate(issuer_name=OTHER_NAME)
    for comment, made in [
        ("leaf names a different issuer, signature valid", chain(leaf(issuer_name=OTHER_NAME))),
        ("leaf names the root as its issuer", chain(leaf(issuer_name=ROOT_NAME))),
        ("leaf signed by a different key, names match", chain(leaf(signing_key=stranger))),
        ("leaf signed by the root, names match", chain(leaf(signing_key=ROOT_KEY))),
        ("leaf signed by its own key, names match", chain(leaf(signing_key=LEAF_KEY))),
        ("intermediate names a different issuer, signature valid", chain(leaf(renamed), renamed)),
        ("intermediate signed by a different key, names match", chain(leaf(forged), forged)),
        ("another intermediate with the same name", chain(LEAF, intermediate(key=stranger))),
        ("leaf issued by another intermediate with the same name", chain(leaf(intermediate(key=stranger)))),
    ]:
        tests.refused(comment, receipt(by=made), "chain-invalid")
    twin = intermediate(not_after="2037-01-01")
    tests.verified("an intermediate that was renewed with the same key", receipt(by=chain(LEAF, twin)), "Odd")
    signed = receipt(by=Chain(STANDARD.certificates, INTERMEDIATE_KEY))
    tests.refused("signed with the intermediate's key", signed, "signature-invalid", "OneFlaw Forged")
    made = Chain((leaf(LEAF, key=ROOT_KEY), LEAF, INTERMEDIATE), ROOT_KEY)
    tests.refused("the leaf as an issuer, below its own issuer", receipt(by=made), "untrusted-root", "Forged")
    false_intermediate = leaf(ROOT, extensions=without(intermediate_extensions(), "basicConstraints"))
    made = chain(leaf(false_intermediate, key=INTERMEDIATE_KEY), false_intermediate)
    tests.refused("a certificate that is no CA as an issuer", receipt(by=made), "intermediate-not-ca", "Forged")


def malformed(file):
    tests = group(file, "Certificates that cannot be read")
    code = "certificate-malformed"
    tests.refused("leaf of version 1", receipt(by=chain(leaf(version=1, extensions={}))), code)
    middle = intermediate(version=2)
    tests.refused("intermediate of version 2", receipt(by=chain(leaf(middle), middle)), code)
    tests.refused(
        "leaf with the marker twice",
        receipt(by=chain(leaf(extensions={**leaf_extensions(), "again": marker(LEAF_MARKER)}))),
        code,
    )
    listed = STANDARD.ders()
    for index, name in enumerate(("leaf", "intermediate", "root")):
        octets = listed[index]
        _, inside, _ = der.place(octets)
        start, _, end = der.place(octets, 2)
        unsigned, signature = octets[inside:start], octets[start:end]
        for comment, contents in [
            ("without a signature", unsigned),
            ("with a text in place of the signature", unsigned + der.utf8_string("x")),
            ("with an element after the signature", unsigned + signature + der.null()),
            ("with a long length of the signature", unsigned + der.with_long_length(signature)),
        ]:
            made = [*listed[:index], der.sequence(contents), *listed[index + 1 :]]
            changed = receipt(edit={"certificates": der.explicit(0, b"".join(made))})
            tests.refused(f"{name} {comment}", changed, code)


def distrusted(file):
    digests = {
        name: hashlib.sha256(made.der).hexdigest()
        for name, made in zip(("leaf", "intermediate", "root"), STANDARD.certificates, strict=True)
    }
    tests = group(file, "Certificates that the policy distrusts")
    for name, digest in digests.items():
        policy = {"distrusted": [digest]}
        tests.refused(f"the {name}", receipt(), "certificate-distrusted", policy=policy)
    for name, made in zip(("leaf", "intermediate", "root"), STANDARD.certificates, strict=True):
        read = x509.load_der_x509_certificate(made.der)
        for named, identity in (
            ("TBSCertificate", read.tbs_certificate_bytes),
            ("key", made.key.spki()),
            ("issuer and serial number", der.sequence(read.issuer.public_bytes(), der.integer(read.serial_number))),
        ):
            policy = {"distrusted": [hashlib.sha256(identity).hexdigest()]}
            tests.refused(f"the {name} by its {named}", receipt(), "certificate-distrusted", policy=policy)
    other = {"distrusted": [hashlib.sha256(OTHER.certificates[0].der).hexdigest()]}
    tests.verified("a certificate that is not in the chain", receipt(), policy=other)


def environments(file):
    sandbox = receipt(payload(a0="ProductionSandbox"))
    limited = anchored(ROOT, environments=["Sandbox"])
    tests = group(file, "A root that is limited to the sandbox", [limited])
    tests.verified("a receipt of the sandbox", sandbox)
    tests.refused("a receipt of production", receipt(), "root-environment-mismatch")
    tests.refused("a receipt of an unknown type", receipt(payload(a0="Staging")), "root-environment-mismatch")
    tests.refused("a receipt of type Sandbox", receipt(payload(a0="sandbox")), "root-environment-mismatch")
    beside = [ROOT, anchored(OTHER_ROOT, built_in=True)]
    policy = {"strict": True, "apps": [{"bundleId": "com.example.app"}], "environments": ["Production", "Sandbox"]}
    tests = group(file, "A given root without a limit beside a built-in one", beside)
    tests.verified("a receipt of production", receipt())
    tests.refused("the same, strict", receipt(), "given-root-for-production", policy=policy)
    tests.verified("a receipt of the sandbox, strict", sandbox, policy=policy)
    tests.verified("under the built-in root, strict", receipt(by=OTHER), policy=policy)
    named = anchored(ROOT, environments=["Production", "Sandbox"])
    tests = group(file, "A given root that is trusted for production by name", [named, beside[1]])
    tests.verified("a receipt of production, strict", receipt(), policy=policy)
    expired = single(not_before="2024-01-01", not_after="2025-09-01")
    tests = group(file, "The single certificate of a receipt of Xcode", [XCODE, expired], XCODE_CHAIN)
    tests.verified("trusted itself", local())
    again = single(not_after="2026-07-01")
    for comment, made in [
        ("another certificate with the same name and key", again),
        ("another certificate with the same name", single(key=ROOT_KEY)),
    ]:
        tests.refused(comment, local(by=Chain((made,), made.key)), "chain-length", "OneFlaw Forged")
    tests.refused("trusted, and expired", local(by=Chain((expired,), LEAF_KEY)), "certificate-expired")
    tests.refused("signed by another key", local(by=Chain((XCODE,), ROOT_KEY)), "signature-invalid", "OneFlaw Forged")
    policy = {"environments": ["Production"]}
    tests.refused("where the policy requires production", local(), "environment-mismatch", policy=policy)
    tests.verified("where the policy requires Xcode", local(), policy={"environments": ["Xcode"]})
    assert (INTERMEDIATE_NAME, CREATED) == (INTERMEDIATE.subject, "2025-10-01T12:00:00Z")
