"""jws-dates.json: the signing time, and the validity of the certificates at that time."""

from .. import payloads
from ..authority import ROOT, XCODE_KEY, Chain, chain, chain_under, make_intermediate, make_leaf, make_root, make_xcode
from ..jws import json_bytes, sign
from ..payloads import ABSENT, ms
from ..payloads import brief_transaction as transaction
from ..vectorfile import CLOCK, VectorFile

DAY = 86_400_000


def build():
    file = VectorFile("jws-dates.json", "the signing time, certificate validity")
    values(file)
    future(file)
    certificate_dates(file)
    missing(file)
    policies(file)
    generalized(file)
    return file


def at(moment, made=None):
    return sign(transaction(signedDate=moment), made or chain())


def values(file):
    group = file.jws("signedDate must be a number of milliseconds from 0 to 253402300799000", [ROOT])
    raw = json_bytes(transaction()).decode().replace(f'"signedDate":{payloads.SIGNED}', '"signedDate":{}')
    for text in ("1759320000123.0", "1759320000123.999", "1.7593200001235e12", "1759320000E3"):
        group.verified(f"signedDate {text}", sign(raw.replace("{}", text)), flags="Odd")
    for text in (
        "253402300799001",
        "253402300799999",
        "253402300800000",
        "1e16",
        "-1e15",
        "9223372036854775807",
        "-9223372036854775808",
        "1e300",
        "-1e300",
        "-1",
        "-0.5",
        "-62135769600000",
        "1.7e308",
    ):
        group.refused(f"signedDate {text}", sign(raw.replace("{}", text)), "signing-time-invalid", "OneFlaw Hostile")
    for comment, text in [
        ("a number as a string", '"1759320000123"'),
        ("an RFC 3339 date as a string", '"2025-10-01T12:00:00Z"'),
        ("true", "true"),
        ("an array", "[1759320000123]"),
        ("an object", '{"ms":1759320000123}'),
        ("an empty string", '""'),
    ]:
        group.refused(f"signedDate is {comment}", sign(raw.replace("{}", text)), "signing-time-invalid")
    group.refused("signedDate 0, before notBefore of every certificate", at(0), "certificate-not-yet-valid", "Boundary")
    group.refused(
        "signedDate 253402300799000, the largest valid value", at(253402300799000), "signed-in-the-future", "Boundary"
    )
    other = [
        ("appTransaction", "receiptCreationDate", payloads.app_transaction),
        ("renewalInfo", "signedDate", payloads.renewal_info),
        ("notification", "signedDate", payloads.notification),
        ("realtimeRequest", "signedDate", payloads.realtime_request),
    ]
    for kind, name, make in other:
        for value in (1e300, "1759320000123", -1, 253402300799999):
            group.refused(f"{kind}: {name} {value!r}", sign(make(**{name: value})), "signing-time-invalid")


def future(file):
    now = ms(CLOCK)
    group = file.jws("The signing time is at most 24 hours ahead of the clock", [ROOT])
    group.verified("equal to the clock", at(now), flags="Boundary")
    group.verified("one hour ahead", at(now + DAY // 24))
    group.verified("exactly 24 hours ahead", at(now + DAY), flags="Boundary")
    group.refused("24 hours and 1 millisecond ahead", at(now + DAY + 1), "signed-in-the-future", "OneFlaw Boundary")
    group.refused("a month ahead", at(now + 30 * DAY), "signed-in-the-future")
    group.refused(
        "app transaction a month ahead",
        sign(payloads.app_transaction(receiptCreationDate=now + 30 * DAY)),
        "signed-in-the-future",
    )
    group.verified("a month ahead, clock a month later", at(now + 30 * DAY), clock="2025-12-01T00:00:00Z")


def ending(which, not_before, not_after):
    """Returns a chain in which one certificate has these dates and the others are valid much longer."""
    wide = {"not_before": "2020-01-01", "not_after": "2045-01-01"}
    dates = {name: wide for name in ("root", "intermediate", "leaf")}
    dates[which] = {"not_before": not_before, "not_after": not_after}
    root = make_root(**dates["root"])
    intermediate = make_intermediate(root, **dates["intermediate"])
    return chain(make_leaf(intermediate, **dates["leaf"]), intermediate, root)


def certificate_dates(file):
    begin, end = "2024-03-01T10:20:30Z", "2025-03-01T10:20:30Z"
    for which in ("leaf", "intermediate", "root"):
        made = ending(which, begin, end)
        group = file.jws(f"The {which} is valid for one year, the other certificates much longer", [made.root])
        group.verified("signed within validity, expired since", at(ms("2024-09-01"), made))
        group.verified("signed exactly at notBefore", at(ms(begin), made), flags="Boundary")
        group.verified("signed exactly at notAfter", at(ms(end), made), flags="Boundary")
        group.refused(
            "signed 1 millisecond before notBefore",
            at(ms(begin) - 1, made),
            "certificate-not-yet-valid",
            "OneFlaw Boundary",
        )
        group.refused(
            "signed 1 second after notAfter", at(ms(end) + 1000, made), "certificate-expired", "OneFlaw Boundary"
        )
        group.refused("signed a year before notBefore", at(ms("2023-03-01"), made), "certificate-not-yet-valid")
        group.refused("signed half a year after notAfter", at(ms("2025-09-01"), made), "certificate-expired")
    made = ending("leaf", begin, end)
    group = file.jws("The signing time of an app transaction is receiptCreationDate", [made.root])
    inside, outside = ms("2024-09-01"), ms("2025-09-01")
    group.verified(
        "created within the leaf's validity",
        sign(payloads.app_transaction(receiptCreationDate=inside), made),
        "appTransaction",
    )
    group.refused(
        "created after the leaf's notAfter",
        sign(payloads.app_transaction(receiptCreationDate=outside), made),
        "certificate-expired",
    )
    group.refused(
        "originalPurchaseDate within validity does not count",
        sign(payloads.app_transaction(receiptCreationDate=outside, originalPurchaseDate=inside), made),
        "certificate-expired",
    )
    group.refused(
        "a transaction's purchaseDate within validity does not count",
        sign(transaction(signedDate=outside, purchaseDate=inside), made),
        "certificate-expired",
    )


def missing(file):
    made = ending("leaf", "2024-03-01", "2025-03-01")
    group = file.jws("Without a signing time, certificates must be valid at the clock", [made.root])
    item = sign(transaction(signedDate=ABSENT), made)
    old = {name: value for name, value in payloads.data_notification().items() if name != "signedDate"}
    created = sign(payloads.app_transaction(receiptCreationDate=ABSENT), made)
    group.refused("transaction, leaf expired at the clock", item, "certificate-expired")
    group.refused("notification, leaf expired at the clock", sign(old, made), "certificate-expired")
    group.refused("app transaction, leaf expired at the clock", created, "certificate-expired")
    for comment, clock in [
        ("within validity", "2024-09-01T00:00:00Z"),
        ("exactly at notBefore", "2024-03-01T00:00:00Z"),
        ("exactly at notAfter", "2025-03-01T00:00:00Z"),
    ]:
        group.verified(f"transaction, clock {comment}", item, clock=clock)
    group.verified("notification, clock within validity", sign(old, made), "notification", clock="2024-09-01T00:00:00Z")
    group.verified("app transaction, clock within validity", created, "appTransaction", clock="2024-09-01T00:00:00Z")
    group.refused(
        "transaction, clock before the leaf's notBefore",
        item,
        "certificate-not-yet-valid",
        clock="2024-02-01T00:00:00Z",
    )


def policies(file):
    made = ending("leaf", "2024-03-01", "2025-03-01")
    item = at(ms("2024-09-01"), made)
    group = file.jws("The policy's validity selects the time at which certificates are checked", [made.root])
    group.verified("signing: expired since", item, policy={"validity": "signing"})
    group.refused("now: expired since", item, "certificate-expired", policy={"validity": "now"})
    group.verified("now: clock within validity", item, policy={"validity": "now"}, clock="2024-10-01T00:00:00Z")
    group.refused(
        "now: clock before the leaf's notBefore and before the signing time",
        item,
        "signed-in-the-future",
        policy={"validity": "now"},
        clock="2024-02-29T23:59:59Z",
    )
    group.verified("a time within validity", item, policy={"validity": "2025-02-28T12:00:00Z"})
    group.verified("a time equal to notAfter", item, policy={"validity": "2025-03-01T00:00:00Z"}, flags="Boundary")
    group.refused(
        "a time 1 second after notAfter", item, "certificate-expired", policy={"validity": "2025-03-01T00:00:01Z"}
    )
    group.refused(
        "a time before the leaf's notBefore",
        item,
        "certificate-not-yet-valid",
        policy={"validity": "2024-02-01T00:00:00Z"},
    )
    late = at(ms("2025-09-01"), made)
    group.verified(
        "signed after the leaf's notAfter, a time within validity", late, policy={"validity": "2024-10-01T00:00:00Z"}
    )
    xcode = make_xcode(not_before="2024-03-01", not_after="2025-03-01")
    local = file.jws("The policy's validity for one self-signed certificate", [xcode])
    signed = sign(transaction(environment="Xcode", signedDate=ms("2024-09-01")), Chain((xcode,), XCODE_KEY))
    local.verified("signing: expired since", signed)
    local.refused("now: expired since", signed, "certificate-expired", policy={"validity": "now"})
    local.verified("a time within validity", signed, policy={"validity": "2024-10-01T00:00:00Z"})


def generalized(file):
    root = make_root(not_before="1999-12-31T23:59:59Z", not_after="9999-12-31T23:59:59Z")
    made = chain_under(root, not_before="1999-12-31T23:59:59Z", not_after="2050-01-01")
    group = file.jws("Certificate dates as UTCTime and as GeneralizedTime", [root])
    group.verified("UTCTime in 1999 and GeneralizedTime in 9999", sign(transaction(), made), flags="Odd")
    ended = make_root(not_before="1950-01-01", not_after="1999-12-31T23:59:59Z")
    old = file.jws("UTCTime years 50 to 99 mean 1950 to 1999", [ended])
    old.refused("the root expired in 1999", sign(transaction(), chain_under(ended)), "certificate-expired")
    far = make_root(not_before="2050-01-01", not_after="2060-01-01")
    late = file.jws("GeneralizedTime from 2050", [far])
    late.refused("the root is valid from 2050", sign(transaction(), chain_under(far)), "certificate-not-yet-valid")
