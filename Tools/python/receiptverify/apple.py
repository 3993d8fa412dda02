"""Apple's ``SignedDataVerifier``, over this package: for trying it with a change of one line.

    from receiptverify.apple import SignedDataVerifier

The methods, their decoded models and their exceptions are those of Apple's package, app-store-server-library, which must
be installed. The page "Moving from Apple's library for Python" in README.md lists the differences.
"""

from __future__ import annotations

import base64
import re
import warnings
from typing import Any, TypeVar

try:
    from appstoreserverlibrary.models.AppTransaction import AppTransaction
    from appstoreserverlibrary.models.DecodedRealtimeRequestBody import DecodedRealtimeRequestBody
    from appstoreserverlibrary.models.Environment import Environment
    from appstoreserverlibrary.models.JWSRenewalInfoDecodedPayload import JWSRenewalInfoDecodedPayload
    from appstoreserverlibrary.models.JWSTransactionDecodedPayload import JWSTransactionDecodedPayload
    from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
    from appstoreserverlibrary.models.ResponseBodyV2DecodedPayload import ResponseBodyV2DecodedPayload
    from appstoreserverlibrary.signed_data_verifier import VerificationException, VerificationStatus
except ImportError as error:
    raise ImportError("receiptverify.apple needs Apple's package: pip install app-store-server-library") from error

from ._result import Result, Verdict
from ._verifier import Verifier

__all__ = ["ReceiptVerificationException", "SignedDataVerifier", "VerificationException", "VerificationStatus"]

Model = TypeVar("Model")

_JWS = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")

_STATUSES = {
    "bundle-id-mismatch": VerificationStatus.INVALID_APP_IDENTIFIER,
    "app-apple-id-mismatch": VerificationStatus.INVALID_APP_IDENTIFIER,
    "environment-mismatch": VerificationStatus.INVALID_ENVIRONMENT,
    "root-environment-mismatch": VerificationStatus.INVALID_ENVIRONMENT,
    "chain-length": VerificationStatus.INVALID_CHAIN_LENGTH,
    "certificate-malformed": VerificationStatus.INVALID_CERTIFICATE,
}


class ReceiptVerificationException(VerificationException):
    """Apple's exception, with the result and its reason."""

    def __init__(self, status: VerificationStatus, result: Result) -> None:
        super().__init__(status)
        self.result = result

    def __str__(self) -> str:
        return f"{self.status.name}: {self.result.code}: {self.result.explanation}"


class SignedDataVerifier:
    """Verifies and decodes signed data of the App Store, with the names of Apple's class."""

    def __init__(
        self,
        root_certificates: list[bytes],
        enable_online_checks: bool,
        environment: Environment,
        bundle_id: str,
        app_apple_id: int | None = None,
    ) -> None:
        """Creates a verifier.

        :param root_certificates: The trusted roots, in DER.
        :param enable_online_checks: Nothing is asked of a server; with True, a warning says so.
        :raises ValueError: As Apple's class, without an App Store ID for Production; and for roots or an app that cannot
            be used.
        """
        if not isinstance(environment, Environment):
            raise ValueError(f"environment is a member of Apple's Environment, not {environment!r}")
        if not all(isinstance(root, bytes) for root in root_certificates):
            raise ValueError("root_certificates is a list of bytes: the contents of the files, in DER")
        if environment == Environment.PRODUCTION and app_apple_id is None:
            raise ValueError("appAppleId is required when the environment is Production")
        if enable_online_checks:
            warnings.warn(
                "receiptverify asks no server whether a certificate is revoked: enable_online_checks has no effect",
                RuntimeWarning, stacklevel=2)
        app: dict[str, Any] = {"bundleId": bundle_id, "environments": [environment.value]}
        if app_apple_id is not None:
            app["appAppleId"] = app_apple_id
        roots = [{"pem": _pem(root), "environments": [environment.value]} for root in dict.fromkeys(root_certificates)]
        if not roots:
            raise ValueError("root_certificates is empty: no receipt can be verified")
        self._verifier = Verifier({
            "schema": "verify-receipt/config-1", "onlyGivenRoots": True, "roots": roots, "apps": [app]})
        self._environment = environment
        self._app_apple_id = app_apple_id

    def verify_and_decode_renewal_info(self, signed_renewal_info: str) -> JWSRenewalInfoDecodedPayload:
        """Verifies and decodes a ``signedRenewalInfo``."""
        return self._decode(signed_renewal_info, "renewalInfo", JWSRenewalInfoDecodedPayload)

    def verify_and_decode_signed_transaction(self, signed_transaction: str) -> JWSTransactionDecodedPayload:
        """Verifies and decodes a ``signedTransactionInfo``."""
        return self._decode(signed_transaction, "transaction", JWSTransactionDecodedPayload)

    def verify_and_decode_notification(self, signed_payload: str) -> ResponseBodyV2DecodedPayload:
        """Verifies and decodes the ``signedPayload`` of a server notification, together with what it contains."""
        return self._decode(signed_payload, "notification", ResponseBodyV2DecodedPayload)

    def verify_and_decode_app_transaction(self, signed_app_transaction: str) -> AppTransaction:
        """Verifies and decodes a signed ``AppTransaction``."""
        return self._decode(signed_app_transaction, "appTransaction", AppTransaction)

    def verify_and_decode_realtime_request(self, signed_payload: str) -> DecodedRealtimeRequestBody:
        """Verifies and decodes the ``signedPayload`` of a Retention Messaging API request."""
        return self._decode(signed_payload, "realtimeRequest", DecodedRealtimeRequestBody)

    def _decode(self, jws: str, kind: str, model: type[Model]) -> Model:
        result = self._verifier.verify(jws if isinstance(jws, str) else None, kind)
        # The package also takes the JSON around a JWS, and blanks beside it; Apple's class does not.
        is_jws = isinstance(jws, str) and _JWS.fullmatch(jws) is not None
        if result.is_verified and not is_jws:
            result = _rejected("format-unrecognized", "The input is not a JWS alone")
        if not result.is_verified:
            status = VerificationStatus.VERIFICATION_FAILURE
            if is_jws:
                status = _STATUSES.get(result.code or "", status)
            if result.members.get("retryable"):
                status = VerificationStatus.RETRYABLE_VERIFICATION_FAILURE
            raise ReceiptVerificationException(status, result)
        # Apple's class requires the App Store ID in Production, except of the kinds that never name it.
        names_app = kind in ("notification", "appTransaction", "realtimeRequest")
        if names_app and self._environment == Environment.PRODUCTION and "appAppleId" in result.members["missing"]:
            result = _rejected(
                "app-apple-id-mismatch", f"The receipt names no App Store ID; expected: {self._app_apple_id}")
            raise ReceiptVerificationException(VerificationStatus.INVALID_APP_IDENTIFIER, result)
        decoded: Model = _get_cattrs_converter(model).structure(result.payload, model)
        return decoded


def _rejected(code: str, explanation: str) -> Result:
    return Result(Verdict.UNVERIFIED, code, explanation, None, None, None)


def _pem(der: bytes) -> str:
    if der.startswith(b"-----BEGIN"):
        return der.decode("ascii")
    text = base64.b64encode(der).decode()
    lines = "".join(f"{text[start:start + 64]}\n" for start in range(0, len(text), 64))
    return f"-----BEGIN CERTIFICATE-----\n{lines}-----END CERTIFICATE-----\n"
