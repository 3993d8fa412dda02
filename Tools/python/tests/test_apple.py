"""The adapter gives what Apple's own library gives."""

import json
import warnings
from pathlib import Path

import pytest
from appstoreserverlibrary import signed_data_verifier as original
from appstoreserverlibrary.models.Environment import Environment
from conftest import SAMPLES

from receiptverify import apple

METHODS = {
    "transaction": "verify_and_decode_signed_transaction",
    "renewal-info": "verify_and_decode_renewal_info",
    "app-transaction": "verify_and_decode_app_transaction",
    "notification": "verify_and_decode_notification",
}


def receipt(name, notification):
    return notification["signedPayload"] if name == "notification" else (SAMPLES / f"{name}.jws").read_text().strip()


def verifiers(environment, bundle_id="com.example.app", number=1234567890):
    arguments = ([(SAMPLES / "root.der").read_bytes()], False, environment, bundle_id, number)
    return original.SignedDataVerifier(*arguments), apple.SignedDataVerifier(*arguments)


def outcome(verifier, method, jws):
    try:
        return getattr(verifier, method)(jws)
    except original.VerificationException as error:
        return error.status


@pytest.mark.parametrize("environment", [Environment.PRODUCTION, Environment.SANDBOX])
@pytest.mark.parametrize("name", METHODS)
def test_models_and_statuses_are_those_of_apples_library(name, environment, notification):
    jws = receipt(name, notification)
    theirs, ours = verifiers(environment)
    expected = outcome(theirs, METHODS[name], jws)
    actual = outcome(ours, METHODS[name], jws)
    assert type(actual) is type(expected)
    assert actual == expected


def test_a_rejection_is_apples_exception_with_the_reason(tampered, transaction):
    for name, jws, bundle_id in (("signature-invalid", tampered, "com.example.app"),
                                 ("bundle-id-mismatch", transaction, "com.example.other")):
        for environment in (Environment.SANDBOX, Environment.PRODUCTION):
            theirs, ours = verifiers(environment, bundle_id)
            status = outcome(theirs, METHODS["transaction"], jws)
            with pytest.raises(original.VerificationException) as caught:
                ours.verify_and_decode_signed_transaction(jws)
            assert isinstance(status, original.VerificationStatus)
            if caught.value.result.code == name:
                assert caught.value.status == status
                assert name in str(caught.value)
                break
        else:
            pytest.fail(f"no environment leads to {name}")


def test_another_kind_of_receipt_is_rejected(transaction):
    _, ours = verifiers(Environment.PRODUCTION)
    for name in ("renewal-info", "app-transaction", "notification"):
        with pytest.raises(original.VerificationException):
            getattr(ours, METHODS[name])(transaction)


def test_what_is_no_jws_is_rejected_as_by_apples_class(transaction):
    body = {"signedTransactionInfo": transaction}
    for receipt in (None, 1, [transaction], body, json.dumps(body), f'"{transaction}"', f" {transaction}\n"):
        for verifier in verifiers(Environment.SANDBOX):
            found = outcome(verifier, METHODS["transaction"], receipt)
            assert found == original.VerificationStatus.VERIFICATION_FAILURE, receipt


def test_arguments_that_apples_class_refuses_are_refused():
    root = (SAMPLES / "root.der").read_bytes()
    with pytest.raises(ValueError, match="appAppleId is required"):
        apple.SignedDataVerifier([root], False, Environment.PRODUCTION, "com.example.app")
    for roots in ([], [b"no certificate"], [root.hex()]):
        with pytest.raises(ValueError):
            apple.SignedDataVerifier(roots, False, Environment.SANDBOX, "com.example.app")
    with pytest.raises(ValueError, match="environment"):
        apple.SignedDataVerifier([root], False, "Sandbox", "com.example.app")
    with pytest.warns(RuntimeWarning, match="enable_online_checks has no effect"):
        apple.SignedDataVerifier([root], True, Environment.SANDBOX, "com.example.app")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apple.SignedDataVerifier([root, root], False, Environment.SANDBOX, "com.example.app")


def test_the_class_has_every_method_of_apples():
    def public(kind):
        return {name for name in vars(kind) if not name.startswith("_")}

    assert public(original.SignedDataVerifier) <= public(apple.SignedDataVerifier)
    assert Path(apple.__file__).name == "apple.py"
