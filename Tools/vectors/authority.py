"""The test authority: root, intermediate and leaf in the App Store's form, and every variant that the vectors need."""

from dataclasses import dataclass

from . import certs
from .certs import (
    CRL_SIGN,
    DIGITAL_SIGNATURE,
    INTERMEDIATE_MARKER,
    KEY_CERT_SIGN,
    LEAF_MARKER,
    basic_constraints,
    key_usage,
    marker,
)
from .keys import ECKey

# Every vector carries its chain, so names are short, keys are small and extensions are few. FULL_CHAIN has them all.
ROOT_NAME = certs.name("Test Root CA")
INTERMEDIATE_NAME = certs.name("Test Intermediate CA")
LEAF_NAME = certs.name("Test Receipt Signing")
OTHER_ROOT_NAME = certs.name("Other Root CA", "Another")
XCODE_NAME = certs.name("Local Purchase Testing", "Local Purchase Testing")

ROOT_KEY = ECKey("root")
INTERMEDIATE_KEY = ECKey("intermediate")
LEAF_KEY = ECKey("leaf")
XCODE_KEY = ECKey("xcode")

ROOT_DATES = {"not_before": "2020-01-01", "not_after": "2045-01-01"}
INTERMEDIATE_DATES = {"not_before": "2021-01-01", "not_after": "2036-01-01"}
LEAF_DATES = {"not_before": "2025-01-01", "not_after": "2027-01-01"}


@dataclass(frozen=True)
class Chain:
    """A signer's certificates, leaf first, and the leaf's private key."""

    certificates: tuple
    key: object

    def ders(self):
        return [certificate.der for certificate in self.certificates]

    @property
    def root(self):
        return self.certificates[-1]


def without(extensions, *names):
    """Returns the extensions without the named ones."""
    return {key: value for key, value in extensions.items() if key not in names}


def root_extensions():
    return {"basicConstraints": basic_constraints(True), "keyUsage": key_usage(KEY_CERT_SIGN, CRL_SIGN)}


def intermediate_extensions():
    return {
        "basicConstraints": basic_constraints(True, 0),
        "keyUsage": key_usage(KEY_CERT_SIGN, CRL_SIGN),
        "marker": marker(INTERMEDIATE_MARKER),
    }


def leaf_extensions():
    return {
        "basicConstraints": basic_constraints(False),
        "keyUsage": key_usage(DIGITAL_SIGNATURE),
        "marker": marker(LEAF_MARKER),
    }


def identifiers(key, issuer_key=None):
    """Returns the subject key identifier, and the authority key identifier if the issuer's key is given."""
    named = {"ski": certs.subject_key_identifier(key)}
    return {**named, "aki": certs.authority_key_identifier(issuer_key)} if issuer_key else named


def make_root(subject=ROOT_NAME, key=ROOT_KEY, extensions=None, **options):
    extensions = root_extensions() if extensions is None else extensions
    return certs.issue(subject, key, extensions=extensions.values(), **{**ROOT_DATES, **options})


def make_intermediate(issuer=None, subject=INTERMEDIATE_NAME, key=INTERMEDIATE_KEY, extensions=None, **options):
    issuer = issuer or ROOT
    extensions = intermediate_extensions() if extensions is None else extensions
    return certs.issue(subject, key, issuer, extensions=extensions.values(), **{**INTERMEDIATE_DATES, **options})


def make_leaf(issuer=None, subject=LEAF_NAME, key=LEAF_KEY, extensions=None, **options):
    issuer = issuer or INTERMEDIATE
    extensions = leaf_extensions() if extensions is None else extensions
    return certs.issue(subject, key, issuer, extensions=extensions.values(), **{**LEAF_DATES, **options})


def chain(leaf=None, intermediate=None, root=None):
    """Returns the standard chain with any of its certificates replaced."""
    leaf = leaf or LEAF
    return Chain((leaf, intermediate or INTERMEDIATE, root or ROOT), leaf.key)


def chain_under(root, **intermediate_options):
    """Returns a chain of a standard intermediate and leaf under this root."""
    intermediate = make_intermediate(root, **intermediate_options)
    return chain(make_leaf(intermediate), intermediate, root)


def make_xcode(subject=XCODE_NAME, key=XCODE_KEY, **options):
    """Returns the only certificate of a receipt from Xcode's local testing: self-signed, CA, without a marker."""
    extensions = [basic_constraints(True, 0), key_usage(DIGITAL_SIGNATURE)]
    dates = {"not_before": "2025-06-01", "not_after": "2026-06-01"}
    return certs.issue(subject, key, extensions=extensions, digest="sha256", serial=1, **{**dates, **options})


ROOT = make_root()
INTERMEDIATE = make_intermediate()
LEAF = make_leaf()
STANDARD = chain()

XCODE = make_xcode()
XCODE_CHAIN = Chain((XCODE,), XCODE_KEY)

# A second authority, complete and consistent, that is not trusted unless a group lists its root.
OTHER_ROOT = make_root(OTHER_ROOT_NAME, ECKey("other root"))
OTHER_INTERMEDIATE = make_intermediate(OTHER_ROOT, key=ECKey("other intermediate"))
OTHER_CHAIN = chain(make_leaf(OTHER_INTERMEDIATE, key=ECKey("other leaf")), OTHER_INTERMEDIATE, OTHER_ROOT)


def make_full_chain():
    """Returns the chain of an authority with all the names and extensions of the App Store's certificates."""
    unit = "Example Test Certification Authority"
    root_key, intermediate_key = ECKey("full root", "P-384"), ECKey("full intermediate", "P-384")
    root = make_root(
        certs.name("Example Test Root CA - T1", "Example Test Authority", unit, "ZZ"),
        root_key,
        {**identifiers(root_key), **root_extensions()},
    )
    intermediate = make_intermediate(
        root,
        certs.name("Example Developer Relations Test Certification Authority", "Example Test Authority", "T1", "ZZ"),
        intermediate_key,
        {
            **intermediate_extensions(),
            **identifiers(intermediate_key, root_key),
            "aia": certs.authority_information("http://ocsp.example.com/root-t1"),
            "crl": certs.distribution_point("http://crl.example.com/root-t1.crl"),
        },
    )
    leaf_key = ECKey("full leaf")
    leaf = make_leaf(
        intermediate,
        certs.name(
            "Example Store Receipt Signing (Test)", "Example Test Authority", "Example Developer Relations", "ZZ"
        ),
        leaf_key,
        {
            **leaf_extensions(),
            **identifiers(leaf_key, intermediate_key),
            "aia": certs.authority_information("http://ocsp.example.com/t1", "http://certs.example.com/t1.der"),
            "policies": certs.policies("1.3.6.1.4.1.55555.2.1", "http://example.com/practice"),
        },
    )
    return Chain((leaf, intermediate, root), leaf_key)


FULL_CHAIN = make_full_chain()
