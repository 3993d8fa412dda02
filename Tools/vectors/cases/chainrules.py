"""jws-chain.json: the rules for leaf, intermediate and root, each broken alone."""

from .. import certs, der, payloads
from ..authority import (
    INTERMEDIATE,
    INTERMEDIATE_KEY,
    INTERMEDIATE_NAME,
    LEAF,
    LEAF_NAME,
    OTHER_CHAIN,
    OTHER_ROOT,
    ROOT,
    ROOT_KEY,
    ROOT_NAME,
    XCODE,
    XCODE_CHAIN,
    XCODE_KEY,
    XCODE_NAME,
    Chain,
    chain,
    chain_under,
    identifiers,
    intermediate_extensions,
    leaf_extensions,
    make_intermediate,
    make_leaf,
    make_root,
    make_xcode,
    root_extensions,
    without,
)
from ..certs import (
    CRL_SIGN,
    DIGITAL_SIGNATURE,
    INTERMEDIATE_MARKER,
    KEY_AGREEMENT,
    KEY_CERT_SIGN,
    KEY_ENCIPHERMENT,
    LEAF_MARKER,
    NON_REPUDIATION,
    PRIVATE_EXTENSION,
    basic_constraints,
    key_usage,
    marker,
)
from ..jws import b64, header, join, sign
from ..keys import ECKey, Ed25519Key, RSAKey
from ..vectorfile import VectorFile

PAYLOAD = payloads.brief_transaction()
RSA_1024, RSA_2048 = RSAKey("rsa-1024", 1024), RSAKey("rsa-2048", 2048)
UNKNOWN_CRITICAL = certs.extension(PRIVATE_EXTENSION, der.null(), critical=True)
UNKNOWN = certs.extension(PRIVATE_EXTENSION, der.null())


def build():
    file = VectorFile("jws-chain.json", "trust anchor, leaf, intermediate, links, algorithms; each rule broken alone")
    leaf_rules(file)
    leaf_keys(file)
    intermediate_rules(file)
    path_lengths(file)
    critical_extensions(file)
    algorithms(file)
    rsa_roots(file)
    links(file)
    anchors(file)
    self_signed(file)
    return file


def with_leaf(*dropped, **changes):
    """Returns a transaction signed by a leaf with changed extensions."""
    extensions = {**without(leaf_extensions(), *dropped), **changes}
    return sign(PAYLOAD, chain(make_leaf(extensions=extensions)))


def with_intermediate(*dropped, **changes):
    """Returns a transaction whose leaf is issued by an intermediate with changed extensions."""
    extensions = {**without(intermediate_extensions(), *dropped), **changes}
    intermediate = make_intermediate(extensions=extensions)
    return sign(PAYLOAD, chain(make_leaf(intermediate), intermediate))


def leaf_rules(file):
    group = file.jws("Requirements for the leaf", [ROOT])
    group.verified("as the App Store issues it", sign(PAYLOAD))
    group.verified("basicConstraints missing: not a CA", with_leaf("basicConstraints"))
    group.verified(
        "basicConstraints not critical", with_leaf(basicConstraints=basic_constraints(False, critical=False))
    )
    group.verified("keyUsage missing: any use allowed", with_leaf("keyUsage"))
    group.verified("keyUsage not critical", with_leaf(keyUsage=key_usage(DIGITAL_SIGNATURE, critical=False)))
    group.verified(
        "keyUsage digitalSignature and keyAgreement", with_leaf(keyUsage=key_usage(DIGITAL_SIGNATURE, KEY_AGREEMENT))
    )
    group.verified("marker critical", with_leaf(marker=marker(LEAF_MARKER, critical=True)))
    group.verified("both receipt markers", with_leaf(other=marker(INTERMEDIATE_MARKER)), flags="Odd")
    group.verified("subject and authority key identifiers", with_leaf(**identifiers(LEAF.key, INTERMEDIATE_KEY)))
    group.refused("CA true", with_leaf(basicConstraints=basic_constraints(True)), "leaf-is-ca")
    group.refused(
        "CA true, not critical", with_leaf(basicConstraints=basic_constraints(True, critical=False)), "leaf-is-ca"
    )
    group.refused("CA true with path length 0", with_leaf(basicConstraints=basic_constraints(True, 0)), "leaf-is-ca")
    for comment, positions in [
        ("keyEncipherment only", [KEY_ENCIPHERMENT]),
        ("keyAgreement only", [KEY_AGREEMENT]),
        ("nonRepudiation only", [NON_REPUDIATION]),
        ("keyCertSign and cRLSign only", [KEY_CERT_SIGN, CRL_SIGN]),
    ]:
        group.refused(f"keyUsage: {comment}", with_leaf(keyUsage=key_usage(*positions)), "leaf-key-usage")
    group.refused(
        "keyUsage without digitalSignature, not critical",
        with_leaf(keyUsage=key_usage(KEY_ENCIPHERMENT, critical=False)),
        "leaf-key-usage",
    )
    group.refused("marker missing", with_leaf("marker"), "leaf-marker-missing")
    for comment, identifier in [
        ("the intermediate's marker", INTERMEDIATE_MARKER),
        ("one more arc", LEAF_MARKER + ".1"),
        ("one arc missing", LEAF_MARKER.rsplit(".", 1)[0]),
        ("last arc one higher", LEAF_MARKER[:-1] + "2"),
    ]:
        group.refused(f"different marker: {comment}", with_leaf(marker=marker(identifier)), "leaf-marker-missing")
    policy_oid = certs.extension("2.5.29.32", der.sequence(der.sequence(der.oid(LEAF_MARKER))))
    group.refused(
        "the marker's OID appears only as a certificate policy",
        with_leaf("marker", policies=policy_oid),
        "leaf-marker-missing",
    )


def leaf_keys(file):
    group = file.jws("The leaf's key must be on P-256", [ROOT])
    for curve in ("P-384", "P-521", "secp256k1", "brainpoolP256r1"):
        made = chain(make_leaf(key=ECKey("leaf " + curve, curve)))
        group.refused(f"key on {curve}", sign(PAYLOAD, made), "leaf-key-unsupported")
    group.refused("RSA key", join(header(chain(make_leaf(key=RSA_2048))), PAYLOAD, XCODE_KEY), "leaf-key-unsupported")
    edwards = make_leaf(key=Ed25519Key("leaf"))
    group.refused("Ed25519 key", join(header(chain(edwards)), PAYLOAD, XCODE_KEY), "leaf-key-unsupported")


def intermediate_rules(file):
    group = file.jws("Requirements for the intermediate", [ROOT])
    group.verified("path length missing", with_intermediate(basicConstraints=basic_constraints(True)))
    group.verified("path length 3", with_intermediate(basicConstraints=basic_constraints(True, 3)))
    group.verified(
        "basicConstraints not critical", with_intermediate(basicConstraints=basic_constraints(True, 0, critical=False))
    )
    group.verified("keyUsage keyCertSign only", with_intermediate(keyUsage=key_usage(KEY_CERT_SIGN)))
    group.verified("keyUsage not critical", with_intermediate(keyUsage=key_usage(KEY_CERT_SIGN, critical=False)))
    group.verified("marker critical", with_intermediate(marker=marker(INTERMEDIATE_MARKER, critical=True)))
    group.verified(
        "subject and authority key identifiers", with_intermediate(**identifiers(INTERMEDIATE_KEY, ROOT_KEY))
    )
    group.refused("CA false", with_intermediate(basicConstraints=basic_constraints(False)), "intermediate-not-ca")
    group.refused("basicConstraints missing", with_intermediate("basicConstraints"), "intermediate-not-ca")
    for comment, positions in [("digitalSignature only", [DIGITAL_SIGNATURE]), ("cRLSign only", [CRL_SIGN])]:
        group.refused(
            f"keyUsage: {comment}", with_intermediate(keyUsage=key_usage(*positions)), "intermediate-key-usage"
        )
    group.verified("keyUsage missing: any use allowed", with_intermediate("keyUsage"))
    group.refused("marker missing", with_intermediate("marker"), "intermediate-marker-missing")
    for comment, identifier in [
        ("the leaf's marker", LEAF_MARKER),
        ("last arc one higher", INTERMEDIATE_MARKER[:-1] + "2"),
        ("one more arc", INTERMEDIATE_MARKER + ".1"),
    ]:
        group.refused(
            f"different marker: {comment}", with_intermediate(marker=marker(identifier)), "intermediate-marker-missing"
        )
    leaf_as_issuer = make_leaf(extensions={**leaf_extensions(), "both": marker(INTERMEDIATE_MARKER)})
    forged = make_leaf(leaf_as_issuer, subject=certs.name("Forged"), key=ECKey("forged leaf"))
    group.refused(
        "a leaf issued by a genuine leaf",
        sign(PAYLOAD, Chain((forged, leaf_as_issuer, INTERMEDIATE), forged.key)),
        "untrusted-root",
        "Forged",
    )


def path_lengths(file):
    for length, allowed in [(0, False), (1, True), (5, True)]:
        root = make_root(extensions={**root_extensions(), "basicConstraints": basic_constraints(True, length)})
        group = file.jws(f"The root allows a path length of {length}", [root])
        jws = sign(PAYLOAD, chain(root=root))
        if allowed:
            group.verified(f"root with path length {length}", jws)
        else:
            group.refused(f"root with path length {length}", jws, "intermediate-path-length")


def critical_extensions(file):
    group = file.jws("Unknown critical extensions are rejected", [ROOT])
    group.verified("unknown extension on the leaf, not critical", with_leaf(unknown=UNKNOWN))
    group.verified("unknown extension on the intermediate, not critical", with_intermediate(unknown=UNKNOWN))
    group.verified("extended key usage on the leaf, not critical", with_leaf(eku=certs.extended_key_usage()))
    group.verified("extended key usage on the leaf, critical", with_leaf(eku=certs.extended_key_usage(critical=True)))
    group.refused(
        "unknown critical extension on the leaf", with_leaf(unknown=UNKNOWN_CRITICAL), "certificate-critical-extension"
    )
    group.refused(
        "unknown critical extension on the intermediate",
        with_intermediate(unknown=UNKNOWN_CRITICAL),
        "certificate-critical-extension",
    )
    group.refused(
        "critical name constraints on the intermediate",
        with_intermediate(names=certs.name_constraints()),
        "certificate-critical-extension",
    )
    purposes = {
        "codeSigning": [certs.CODE_SIGNING],
        "anyExtendedKeyUsage": [certs.ANY_PURPOSE],
        "serverAuth and codeSigning": [certs.SERVER_AUTHENTICATION, certs.CODE_SIGNING],
    }
    for comment, identifiers_of in purposes.items():
        usage = certs.extended_key_usage(*identifiers_of, critical=True)
        group.verified(f"critical extended key usage on the leaf: {comment}", with_leaf(eku=usage))
        group.verified(f"critical extended key usage on the intermediate: {comment}", with_intermediate(eku=usage))
    for comment, identifiers_of in {
        "serverAuth": [certs.SERVER_AUTHENTICATION],
        "serverAuth and emailProtection": [certs.SERVER_AUTHENTICATION, certs.EMAIL_PROTECTION],
        "the receipt marker": [LEAF_MARKER],
        "one more arc than codeSigning": [certs.CODE_SIGNING + ".1"],
    }.items():
        usage = certs.extended_key_usage(*identifiers_of, critical=True)
        group.refused(
            f"critical extended key usage on the leaf: {comment}",
            with_leaf(eku=usage),
            "certificate-critical-extension",
        )
        group.refused(
            f"critical extended key usage on the intermediate: {comment}",
            with_intermediate(eku=usage),
            "certificate-critical-extension",
        )
        group.verified(
            f"extended key usage on the leaf, not critical: {comment}",
            with_leaf(eku=certs.extended_key_usage(*identifiers_of)),
        )
    unreadable = certs.extension("2.5.29.37", der.null(), critical=True)
    group.refused(
        "critical extended key usage on the leaf that cannot be read",
        with_leaf(eku=unreadable),
        "certificate-critical-extension",
    )
    first = {"unknown": UNKNOWN_CRITICAL, **leaf_extensions()}
    group.refused(
        "unknown critical extension on the leaf, listed first",
        sign(PAYLOAD, chain(make_leaf(extensions=first))),
        "certificate-critical-extension",
    )


def algorithms(file):
    group = file.jws("Signature algorithms and keys of the issuers", [ROOT])
    for digest in ("sha256", "sha384", "sha512"):
        group.verified(f"leaf signed with ECDSA and {digest}", sign(PAYLOAD, chain(make_leaf(digest=digest))))
        intermediate = make_intermediate(digest=digest)
        group.verified(
            f"intermediate signed with ECDSA and {digest}", sign(PAYLOAD, chain(make_leaf(intermediate), intermediate))
        )
    for digest in ("sha1", "sha224"):
        group.refused(
            f"leaf signed with ECDSA and {digest}",
            sign(PAYLOAD, chain(make_leaf(digest=digest))),
            "certificate-algorithm",
        )
        intermediate = make_intermediate(digest=digest)
        group.refused(
            f"intermediate signed with ECDSA and {digest}",
            sign(PAYLOAD, chain(make_leaf(intermediate), intermediate)),
            "certificate-algorithm",
        )
    for curve in ("P-384", "P-521"):
        intermediate = make_intermediate(key=ECKey("large intermediate", curve))
        group.verified(f"intermediate with a {curve} key", sign(PAYLOAD, chain(make_leaf(intermediate), intermediate)))
    intermediate = make_intermediate(key=RSA_2048)
    for digest in ("sha256", "sha384", "sha512"):
        group.verified(
            f"intermediate with an RSA key of 2048 bits, leaf signed with {digest}",
            sign(PAYLOAD, chain(make_leaf(intermediate, digest=digest), intermediate)),
        )
    for digest in ("sha1", "md5"):
        group.refused(
            f"intermediate with an RSA key of 2048 bits, leaf signed with {digest}",
            sign(PAYLOAD, chain(make_leaf(intermediate, digest=digest), intermediate)),
            "certificate-algorithm",
        )
    for bits, key in [(1024, RSA_1024), (1536, RSAKey("rsa-1536", 1536))]:
        intermediate = make_intermediate(key=key)
        group.refused(
            f"intermediate with an RSA key of {bits} bits",
            sign(PAYLOAD, chain(make_leaf(intermediate), intermediate)),
            "certificate-algorithm",
        )
    intermediate = make_intermediate(key=Ed25519Key("intermediate"))
    group.refused(
        "intermediate with an Ed25519 key",
        sign(PAYLOAD, chain(make_leaf(intermediate), intermediate)),
        "certificate-algorithm",
    )


def rsa_roots(file):
    for bits, key, allowed in [(2048, RSA_2048, True), (1024, RSA_1024, False)]:
        root = make_root(key=key)
        group = file.jws(f"The trust anchor has an RSA key of {bits} bits", [root])
        jws = sign(PAYLOAD, chain_under(root))
        if allowed:
            group.verified(f"intermediate signed with an RSA key of {bits} bits", jws)
        else:
            group.refused(f"intermediate signed with an RSA key of {bits} bits", jws, "certificate-algorithm")


def links(file):
    group = file.jws("Each certificate must be issued by the next", [ROOT])
    other_name = certs.name("Somebody Else's CA")
    stranger = ECKey("stranger")
    intermediate = make_intermediate(issuer_name=other_name)
    for comment, made in [
        ("leaf names a different issuer, signature valid", chain(make_leaf(issuer_name=other_name))),
        ("leaf names the root as its issuer, signed by the intermediate", chain(make_leaf(issuer_name=ROOT_NAME))),
        ("intermediate names a different issuer, signature valid", chain(make_leaf(intermediate), intermediate)),
        ("leaf signed by a different key, names match", chain(make_leaf(signing_key=stranger))),
        ("leaf signed by the root, names match", chain(make_leaf(signing_key=ROOT_KEY))),
        ("leaf signed by its own key, names match", chain(make_leaf(signing_key=LEAF.key, digest="sha256"))),
    ]:
        group.refused(comment, sign(PAYLOAD, made), "chain-invalid")
    # The signature tells the issuer of a certificate, not the key identifiers.
    group.verified(
        "leaf with the authority key identifier of a different key",
        with_leaf(**identifiers(LEAF.key, stranger)),
        flags="Odd",
    )
    group.verified(
        "intermediate with the subject key identifier of a different key",
        with_intermediate(**identifiers(stranger, ROOT_KEY)),
        flags="Odd",
    )
    group.verified(
        "intermediate with the authority key identifier of a different key",
        with_intermediate(**identifiers(INTERMEDIATE_KEY, stranger)),
        flags="Odd",
    )
    named = {**leaf_extensions(), **identifiers(LEAF.key, INTERMEDIATE_KEY)}
    group.refused(
        "leaf signed by a different key, with the authority key identifier of the intermediate",
        sign(PAYLOAD, chain(make_leaf(signing_key=stranger, extensions=named))),
        "chain-invalid",
    )
    forged = make_intermediate(signing_key=stranger)
    group.refused(
        "intermediate signed by a different key, names match",
        sign(PAYLOAD, chain(make_leaf(forged), forged)),
        "chain-invalid",
        "OneFlaw Forged",
    )
    forged = make_intermediate(signing_key=INTERMEDIATE_KEY)
    group.refused(
        "intermediate signed by its own key, names match",
        sign(PAYLOAD, chain(make_leaf(forged), forged)),
        "chain-invalid",
        "OneFlaw Forged",
    )
    for index, name in ((0, "leaf"), (1, "intermediate")):
        for place, offset in [("signature", -1), ("serial number", None)]:
            group.refused(f"{name}: one bit of the {place} changed", damaged(index, offset), "chain-invalid", "Damaged")
    foreign = make_intermediate(key=ECKey("foreign intermediate"))
    group.refused(
        "leaf issued by a different intermediate of the same name",
        sign(PAYLOAD, chain(make_leaf(foreign))),
        "chain-invalid",
        "Forged",
    )
    group.refused(
        "leaf and intermediate of a different authority with the genuine root",
        sign(PAYLOAD, Chain((*OTHER_CHAIN.certificates[:2], ROOT), OTHER_CHAIN.key)),
        "chain-invalid",
        "Forged",
    )
    twin = make_intermediate(key=ECKey("second intermediate"))
    group.refused(
        "a second genuine intermediate of the same name that did not issue the leaf",
        sign(PAYLOAD, chain(LEAF, twin)),
        "chain-invalid",
    )
    group.verified(
        "the second genuine intermediate with a leaf that it issued", sign(PAYLOAD, chain(make_leaf(twin), twin))
    )


def damaged(index, offset):
    """Returns a transaction with one bit of one certificate changed, at the offset or in the serial number."""
    octets = bytearray(chain().ders()[index])
    if offset is None:
        offset = bytes(octets).index(b"\x02\x08") + 5
    octets[offset] ^= 1
    certificates = list(chain().certificates)
    certificates[index] = certs.Certificate(bytes(octets), certificates[index].subject, certificates[index].key)
    return sign(PAYLOAD, Chain(tuple(certificates), LEAF.key))


def anchors(file):
    stranger = ECKey("stranger")
    same_name = make_root(key=stranger)
    own = chain_under(same_name)
    group = file.jws("x5c[2] must match a trust anchor: the same certificate, or the same subject and key", [ROOT])
    group.refused(
        "a complete and consistent chain of a different authority",
        sign(PAYLOAD, OTHER_CHAIN),
        "untrusted-root",
        "OneFlaw Forged",
    )
    group.refused(
        "an authority with the same names and its own keys", sign(PAYLOAD, own), "untrusted-root", "OneFlaw Forged"
    )
    group.refused(
        "genuine leaf and intermediate, x5c[2] with the root's name and a different key",
        sign(PAYLOAD, chain(root=same_name)),
        "untrusted-root",
    )
    group.refused(
        "genuine leaf and intermediate, x5c[2] of a different name",
        sign(PAYLOAD, chain(root=OTHER_ROOT)),
        "chain-invalid",
    )
    renamed = make_root(SIMILAR_NAME, ROOT_KEY)
    group.refused(
        "x5c[2] with the root's key and a different name, intermediate issued under that name",
        sign(PAYLOAD, chain_under(renamed)),
        "untrusted-root",
    )
    plain = make_root(extensions={})
    group.verified(
        "x5c[2] is a different certificate with the root's name and key and no extensions",
        sign(PAYLOAD, chain(root=plain)),
        flags="Odd",
    )
    not_ca = make_root(extensions={"basicConstraints": basic_constraints(False)}, digest="sha256")
    group.verified(
        "x5c[2] is a different certificate with the root's name and key and CA false",
        sign(PAYLOAD, chain(root=not_ca)),
        flags="Odd",
    )
    cross = make_root(issuer=None, signing_key=stranger, issuer_name=OTHER_ROOT.subject)
    group.verified(
        "x5c[2] is a cross-certificate: the root's name and key, issued by a different CA",
        sign(PAYLOAD, chain(root=cross)),
        flags="Odd",
    )
    intermediate_given = file.jws("The intermediate is the only trust anchor", [INTERMEDIATE])
    intermediate_given.refused("the genuine chain, whose x5c[2] is not a trust anchor", sign(PAYLOAD), "untrusted-root")
    several = file.jws("Several trust anchors", [OTHER_ROOT, ROOT, XCODE])
    several.verified("chain of the second anchor", sign(PAYLOAD))
    several.verified("chain of the first anchor", sign(PAYLOAD, OTHER_CHAIN))
    several.refused(
        "leaf and intermediate of the first anchor, x5c[2] is the second",
        sign(PAYLOAD, Chain((*OTHER_CHAIN.certificates[:2], ROOT), OTHER_CHAIN.key)),
        "chain-invalid",
        "Forged",
    )
    same = file.jws("Two trust anchors with the same name", [same_name, ROOT])
    same.verified("chain of the second anchor", sign(PAYLOAD))
    same.verified("chain of the first anchor", sign(PAYLOAD, own))
    same.refused(
        "leaf and intermediate of the second anchor, x5c[2] is the first",
        sign(PAYLOAD, chain(root=same_name)),
        "chain-invalid",
    )
    other = file.jws("A different root is the trust anchor", [OTHER_ROOT])
    other.refused("the genuine chain", sign(PAYLOAD), "untrusted-root")
    stripped = file.jws("The trust anchor is a certificate without extensions", [plain])
    stripped.refused(
        "x5c[2] is the root with the same name and key and its extensions", sign(PAYLOAD), "root-cannot-issue"
    )


SIMILAR_NAME = certs.name("Test Root CA", "Example Two")


def self_signed(file):
    local = payloads.brief_transaction(environment="Xcode")
    group = file.jws("One self-signed certificate that is a trust anchor", [XCODE])
    group.verified("environment Xcode", sign(local, XCODE_CHAIN))
    group.verified("with kid and typ, as Xcode sends", sign(local, XCODE_CHAIN, kid="Example_Local_Key", typ="JWT"))
    group.verified(
        "environment LocalTesting", sign(payloads.brief_transaction(environment="LocalTesting"), XCODE_CHAIN)
    )
    group.verified(
        "app transaction of type Xcode",
        sign(payloads.app_transaction(receiptType="Xcode"), XCODE_CHAIN),
        "appTransaction",
    )
    group.verified(
        "renewal info of environment Xcode",
        sign(payloads.renewal_info(environment="Xcode"), XCODE_CHAIN),
        "renewalInfo",
    )
    group.verified(
        "the policy requires environment Xcode", sign(local, XCODE_CHAIN), policy={"environments": ["Xcode"]}
    )
    group.refused(
        "the policy requires environment Production",
        sign(local, XCODE_CHAIN),
        "environment-mismatch",
        policy={"environments": ["Production"]},
    )
    for environment in ("Production", "Sandbox", "xcode", "Staging", payloads.ABSENT):
        shown = "missing" if environment is payloads.ABSENT else environment
        group.refused(
            f"environment {shown}",
            sign(payloads.brief_transaction(environment=environment), XCODE_CHAIN),
            "environment-mismatch",
        )
    group.refused(
        "app transaction of type Production", sign(payloads.app_transaction(), XCODE_CHAIN), "environment-mismatch"
    )
    group.refused(
        "signed before the certificate's notBefore",
        sign({**local, "signedDate": payloads.ms("2025-05-31")}, XCODE_CHAIN),
        "certificate-not-yet-valid",
    )
    group.refused(
        "signed by a different key", join(header(XCODE_CHAIN), local, LEAF.key), "signature-invalid", "OneFlaw Forged"
    )
    again = make_xcode(not_after="2026-07-01")
    group.refused(
        "a different certificate with the same name and key", sign(local, Chain((again,), XCODE_KEY)), "chain-length"
    )
    stranger = make_xcode(key=ECKey("other xcode"))
    group.refused(
        "a different certificate with the same name and another key",
        sign(local, Chain((stranger,), stranger.key)),
        "chain-length",
        "OneFlaw Forged",
    )
    group.refused("the certificate listed twice", sign(local, Chain((XCODE, XCODE), XCODE_KEY)), "chain-length")
    expired = make_xcode(not_before="2024-01-01", not_after="2025-09-01")
    ended = file.jws("A self-signed trust anchor that expired before the payload was signed", [expired])
    ended.refused(
        "signed after the certificate's notAfter", sign(local, Chain((expired,), XCODE_KEY)), "certificate-expired"
    )
    alone = Chain((ROOT,), ROOT_KEY)
    elsewhere = file.jws("One certificate in x5c while the anchor is the root of a chain of three", [ROOT])
    elsewhere.refused(
        "the root alone with the leaf's signature", sign(PAYLOAD, x5c=[b64(ROOT.der)]), "signature-invalid", "Forged"
    )
    elsewhere.refused(
        "the root alone, signed by the root's key, environment Production", sign(PAYLOAD, alone), "environment-mismatch"
    )
    elsewhere.refused("environment Xcode", sign(local, XCODE_CHAIN), "chain-length")
    impostor = make_xcode(subject=ROOT_NAME)
    elsewhere.refused(
        "a self-signed certificate with the root's name",
        sign(local, Chain((impostor,), XCODE_KEY)),
        "chain-length",
        "OneFlaw Forged",
    )
    assert (LEAF_NAME, INTERMEDIATE_NAME, XCODE_NAME) == (LEAF.subject, INTERMEDIATE.subject, XCODE.subject)
