"""jws-order.json: two flaws at once, and which of them is reported."""

from .. import certs, der, payloads
from ..authority import (
    OTHER_CHAIN,
    ROOT,
    chain,
    intermediate_extensions,
    leaf_extensions,
    make_intermediate,
    make_leaf,
    without,
)
from ..certs import CRL_SIGN, KEY_AGREEMENT, basic_constraints, key_usage
from ..jws import b64, header, sign, with_signature
from ..keys import ECKey
from ..payloads import brief_transaction
from ..vectorfile import VectorFile

PAYLOAD = brief_transaction()
WRONG = bytes(31) + b"\x01" + bytes(31) + b"\x01"  # in range, and not a signature of any message
CRITICAL = {"unknown": certs.extension(certs.PRIVATE_EXTENSION, der.null(), critical=True)}


def build():
    file = VectorFile("jws-order.json", "two flaws at once: which one is reported")
    steps(file)
    chains(file)
    claims(file)
    return file


def flawed(leaf=(), intermediate=(), leaf_changes=None, intermediate_changes=None, **leaf_options):
    """Returns a chain whose leaf and intermediate lack the named extensions and have the changed ones."""
    upper = make_intermediate(
        extensions={**without(intermediate_extensions(), *intermediate), **(intermediate_changes or {})}
    )
    extensions = {**without(leaf_extensions(), *leaf), **(leaf_changes or {})}
    return chain(make_leaf(upper, extensions=extensions, **leaf_options), upper)


def steps(file):
    group = file.jws("A flaw in an earlier step is reported before one in a later step", [ROOT])
    expired = chain(make_leaf(not_before="2024-01-01", not_after="2025-06-01"))
    entries = header()["x5c"]
    for comment, jws, code in [
        ("encoding before algorithm", sign(PAYLOAD, alg="none") + "=", "encoding"),
        ("algorithm before chain length", sign(PAYLOAD, alg="none", x5c=entries[:2]), "algorithm"),
        ("chain length before malformed certificate", sign(PAYLOAD, x5c=["", ""]), "chain-length"),
        (
            "malformed certificate before issuer name",
            sign(PAYLOAD, x5c=[entries[1], entries[0], ""]),
            "certificate-malformed",
        ),
        ("chain before signature", with_signature(sign(PAYLOAD, OTHER_CHAIN), WRONG), "untrusted-root"),
        (
            "missing leaf marker before signature",
            with_signature(sign(PAYLOAD, flawed(["marker"])), WRONG),
            "leaf-marker-missing",
        ),
        ("signature before payload", with_signature(sign("{"), WRONG), "signature-invalid"),
        ("signature before dates", with_signature(sign(PAYLOAD, expired), WRONG), "signature-invalid"),
        (
            "signature before signing time",
            with_signature(sign(brief_transaction(signedDate=-1)), WRONG),
            "signature-invalid",
        ),
        ("signature before claims", with_signature(sign(brief_transaction(quantity="1")), WRONG), "signature-invalid"),
        ("payload before dates", sign("[]", expired), "payload-not-an-object"),
        ("dates before kind", sign({"signedDate": payloads.SIGNED}, expired), "certificate-expired"),
        ("dates before claim types", sign(brief_transaction(quantity="1"), expired), "certificate-expired"),
    ]:
        group.refused(comment, jws, code, "Order")


def chains(file):
    group = file.jws("Two flaws in the chain", [ROOT])
    authority = {"basicConstraints": basic_constraints(True)}
    agreement, lists = {"keyUsage": key_usage(KEY_AGREEMENT)}, {"keyUsage": key_usage(CRL_SIGN)}
    stranger = ECKey("stranger")
    named = make_leaf(issuer_name=certs.name("Somebody Else"), signing_key=stranger)
    for comment, made, code in [
        ("leaf: CA before marker", flawed(["marker"], leaf_changes=authority), "leaf-is-ca"),
        ("leaf: key before key usage", flawed(leaf_changes=agreement, key=ECKey("l", "P-384")), "leaf-key-unsupported"),
        ("leaf: key usage before marker", flawed(["marker"], leaf_changes=agreement), "leaf-key-usage"),
        ("leaf: marker before intermediate: CA", flawed(["marker"], ["basicConstraints"]), "leaf-marker-missing"),
        ("intermediate: CA before key usage", flawed((), ["basicConstraints"], None, lists), "intermediate-not-ca"),
        ("intermediate: key usage before marker", flawed((), ["marker"], None, lists), "intermediate-key-usage"),
        (
            "intermediate: marker before leaf: critical extension",
            flawed((), ["marker"], CRITICAL),
            "intermediate-marker-missing",
        ),
        (
            "critical extension before algorithm",
            flawed(leaf_changes=CRITICAL, digest="sha1"),
            "certificate-critical-extension",
        ),
        (
            "algorithm before certificate signature",
            flawed(digest="sha1", signing_key=stranger),
            "certificate-algorithm",
        ),
        ("marker before certificate signature", flawed(["marker"], signing_key=stranger), "leaf-marker-missing"),
        ("issuer name and certificate signature, which share a code", chain(named), "chain-invalid"),
    ]:
        group.refused(comment, sign(PAYLOAD, made), code, "Order")
    other = sign(PAYLOAD, OTHER_CHAIN, x5c=[b64(OTHER_CHAIN.certificates[0].der), *header()["x5c"][1:]])
    group.refused("leaf issued by a different intermediate of the same name", other, "chain-invalid", "Order")


def claims(file):
    policy = {
        "apps": [{"bundleId": payloads.BUNDLE_ID, "appAppleId": payloads.APP_APPLE_ID}],
        "environments": ["Production"],
        "productIds": [payloads.PRODUCT_ID],
        "kinds": ["transaction", "appTransaction"],
        "refusesRevoked": True,
    }
    group = file.jws("Two flaws in the claims", [ROOT], policy=policy)
    revoked = {"revocationDate": payloads.SIGNED}
    everything = {"bundleId": "com.example.other", "environment": "Sandbox", "productId": "coins", **revoked}
    for comment, payload, code in [
        ("kind before claim types", payloads.renewal_info(currency=7), "kind-mismatch"),
        ("claim types before bundle ID", brief_transaction(quantity="1", **everything), "claim-type"),
        ("bundle ID before environment", brief_transaction(**everything), "bundle-id-mismatch"),
        (
            "Apple ID before environment",
            payloads.app_transaction(appAppleId=1, receiptType="Sandbox"),
            "app-apple-id-mismatch",
        ),
        (
            "environment before product",
            brief_transaction(**{**everything, "bundleId": payloads.BUNDLE_ID}),
            "environment-mismatch",
        ),
        ("product before revocation", brief_transaction(productId="coins", **revoked), "product-id-mismatch"),
        ("revocation is reported last", brief_transaction(**revoked), "purchase-revoked"),
    ]:
        group.refused(comment, sign(payload), code, "Order")
    strict = file.jws(
        "Under a strict policy, a mismatch is reported before an unchecked claim",
        [ROOT],
        policy={"refusesRevoked": True, "strict": True},
    )
    strict.refused("revocation before unchecked claim", sign(brief_transaction(**revoked)), "purchase-revoked", "Order")
