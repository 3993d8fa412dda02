"""Certificates in the App Store's form, valid or with exactly the requested flaw."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timezone

from . import der
from .keys import ECKey, Ed25519Key, RSAKey, stream

LEAF_MARKER = "1.2.840.113635.100.6.11.1"
INTERMEDIATE_MARKER = "1.2.840.113635.100.6.2.1"
PRIVATE_EXTENSION = "1.3.6.1.4.1.55555.1.1"  # an extension that no verifier knows

DIGITAL_SIGNATURE, NON_REPUDIATION, KEY_ENCIPHERMENT, KEY_AGREEMENT, KEY_CERT_SIGN, CRL_SIGN = 0, 1, 2, 4, 5, 6

SIGNATURE_OIDS = {
    ("ec", "sha1"): "1.2.840.10045.4.1",
    ("ec", "sha224"): "1.2.840.10045.4.3.1",
    ("ec", "sha256"): "1.2.840.10045.4.3.2",
    ("ec", "sha384"): "1.2.840.10045.4.3.3",
    ("ec", "sha512"): "1.2.840.10045.4.3.4",
    ("rsa", "md5"): "1.2.840.113549.1.1.4",
    ("rsa", "sha1"): "1.2.840.113549.1.1.5",
    ("rsa", "sha256"): "1.2.840.113549.1.1.11",
    ("rsa", "sha384"): "1.2.840.113549.1.1.12",
    ("rsa", "sha512"): "1.2.840.113549.1.1.13",
}


@dataclass(frozen=True)
class Certificate:
    """A certificate with the subject and the private key that issuing under it takes."""

    der: bytes
    subject: bytes
    key: object


def date(text):
    """Returns a datetime for YYYY-MM-DD or an RFC 3339 time in UTC."""
    text = text if "T" in text else text + "T00:00:00Z"
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def name(common, organization=None, unit=None, country=None):
    """Returns a distinguished name with its attributes in Apple's order."""
    parts = [("2.5.4.3", der.utf8_string(common))]
    parts += [("2.5.4.11", der.utf8_string(unit))] if unit else []
    parts += [("2.5.4.10", der.utf8_string(organization))] if organization else []
    parts += [("2.5.4.6", der.printable_string(country))] if country else []
    return der.sequence(*(der.set_of(der.sequence(der.oid(kind), value)) for kind, value in parts))


# MARK: Extensions


def extension(identifier, value, critical=False):
    parts = [der.oid(identifier)] + ([der.boolean(True)] if critical else []) + [der.octet_string(value)]
    return der.sequence(*parts)


def basic_constraints(is_ca, path_length=None, critical=True):
    parts = [der.boolean(True)] if is_ca else []
    if path_length is not None:
        parts.append(der.integer(path_length))
    return extension("2.5.29.19", der.sequence(*parts), critical)


def key_usage(*positions, critical=True):
    return extension("2.5.29.15", der.bits(*positions), critical)


def marker(identifier, critical=False):
    return extension(identifier, der.null(), critical)


def subject_key_identifier(key):
    return extension("2.5.29.14", der.octet_string(key_identifier(key)))


def authority_key_identifier(key):
    return extension("2.5.29.35", der.sequence(der.implicit(0, key_identifier(key))))


CODE_SIGNING, SERVER_AUTHENTICATION, EMAIL_PROTECTION = (f"1.3.6.1.5.5.7.3.{arc}" for arc in (3, 1, 4))
ANY_PURPOSE = "2.5.29.37.0"


def extended_key_usage(*purposes, critical=False):
    return extension("2.5.29.37", der.sequence(*map(der.oid, purposes or [CODE_SIGNING])), critical)


def authority_information(ocsp, issuer=None):
    entries = [("1.3.6.1.5.5.7.48.2", issuer)] if issuer else []
    entries.append(("1.3.6.1.5.5.7.48.1", ocsp))
    described = (der.sequence(der.oid(method), der.implicit(6, url.encode())) for method, url in entries)
    return extension("1.3.6.1.5.5.7.1.1", der.sequence(*described))


def distribution_point(url):
    full_name = der.explicit(0, der.implicit(6, url.encode()))
    return extension("2.5.29.31", der.sequence(der.sequence(der.explicit(0, full_name))))


def policies(identifier, practice):
    qualifier = der.sequence(der.oid("1.3.6.1.5.5.7.2.1"), der.tlv(0x16, practice.encode()))
    return extension("2.5.29.32", der.sequence(der.sequence(der.oid(identifier), der.sequence(qualifier))))


def name_constraints(critical=True):
    permitted = der.sequence(der.implicit(2, b"example.com"))
    return extension("2.5.29.30", der.sequence(der.explicit(0, permitted)), critical)


def key_identifier(key):
    return hashlib.sha1(key.spki()).digest()


# MARK: Issuing


def algorithm_identifier(key, digest):
    if isinstance(key, Ed25519Key):
        return der.sequence(der.oid("1.3.101.112"))
    if isinstance(key, RSAKey):
        return der.sequence(der.oid(SIGNATURE_OIDS["rsa", digest]), der.null())
    return der.sequence(der.oid(SIGNATURE_OIDS["ec", digest]))


def default_digest(key):
    return "sha384" if isinstance(key, ECKey) and key.size > 32 else "sha256"


def issue(
    subject,
    key,
    issuer=None,
    *,
    extensions=(),
    not_before,
    not_after,
    version=3,
    serial=None,
    digest=None,
    issuer_name=None,
    signing_key=None,
    edit=None,
    unused_bits=0,
):
    """Issues a certificate for `key`, self-signed without an issuer; `issuer_name` and `signing_key` break the link.

    `edit` maps names of fields to functions that get the field's encoding and return the one to be signed.
    """
    signing_key = signing_key or (issuer.key if issuer else key)
    issuer_name = issuer_name or (issuer.subject if issuer else subject)
    digest = digest or default_digest(signing_key)
    serial = serial or int.from_bytes(stream(f"serial/{subject.hex()}/{not_before}", 8), "big") >> 1 | 1 << 62
    algorithm = algorithm_identifier(signing_key, digest)
    fields = {
        "version": b"" if version == 1 else der.explicit(0, der.integer(version - 1)),
        "serial": der.integer(serial),
        "algorithm": algorithm,
        "issuer": issuer_name,
        "notBefore": der.time(date(not_before)),
        "notAfter": der.time(date(not_after)),
        "subject": subject,
        "key": key.spki(),
        "extensions": der.explicit(3, der.sequence(*extensions)) if extensions else b"",
    }
    for field, change in (edit or {}).items():
        fields[field] = change(fields[field])
    fields["notBefore"] = der.sequence(fields["notBefore"], fields.pop("notAfter"))
    tbs = der.sequence(*fields.values())
    signature = signing_key.sign(tbs, digest)
    return Certificate(der.sequence(tbs, algorithm, der.bit_string(signature, unused_bits)), subject, key)
