@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// The rules for a verified payload under a policy, written a second time on purpose: they read its JSON and use
/// nothing of the verifier's code.
struct ClaimsExpectation {
    let policy: VerificationPolicy
    /// The validity of the signer's certificates in milliseconds since 1970.
    let validity: ClosedRange<Int64>

    /// Returns the reason to reject a payload; nil if there is none.
    func objection(to payload: JSONObject, _ kind: ReceiptKind) -> String? {
        if !policy.kinds.isEmpty, !policy.kinds.contains(kind) { return "the policy does not accept \(kind.title)" }
        return objectionToDate(of: payload, kind) ?? objectionToApp(of: payload, kind)
            ?? objectionToPurchase(of: payload, kind)
    }

    private func objectionToDate(of payload: JSONObject, _ kind: ReceiptKind) -> String? {
        let now = SamplePayload.now
        let signed: Int64
        switch payload[kind.signingTimeField ?? ""] {
        case nil, .null?: signed = now
        case .integer(let milliseconds)?: signed = milliseconds
        case .decimal(let milliseconds)?:
            guard milliseconds.magnitude < 1e18 else { return "the signing time is not a date" }
            signed = Int64(milliseconds.rounded(.down))
        default: return "the signing time is not a number"
        }
        if signed > now + 86_400_000 { return "it was signed in the future" }
        let effectiveDate: Int64 =
            switch policy.validity {
            case .signing: signed
            case .now: now
            case .at(let instant): instant.millisecondsSince1970
            }
        return validity.contains(effectiveDate) ? nil : "its certificates were not valid at \(effectiveDate)"
    }

    private func objectionToApp(of payload: JSONObject, _ kind: ReceiptKind) -> String? {
        let object = kind == .notification ? Self.subject(of: payload) : payload
        let hasBundleID = kind != .renewalInfo && kind != .realtimeRequest
        if hasBundleID, !policy.apps.isEmpty {
            let bundle = object["bundleId"]?.text
            guard policy.apps.contains(where: { $0.bundleID.utf8.elementsEqual((bundle ?? "").utf8) }) else {
                return "its bundle ID is \(bundle ?? "missing")"
            }
        }
        let numbers = policy.apps.compactMap(\.appAppleID)
        if kind == .realtimeRequest, !numbers.isEmpty, !numbers.contains(object["appAppleId"]?.integer ?? 0) {
            return "its Apple ID is that of a different app"
        }
        guard !policy.environments.isEmpty, payload["externalPurchaseToken"]?.object == nil else { return nil }
        let name = object[kind == .appTransaction ? "receiptType" : "environment"]?.text
        let mayLack = kind == .transaction || kind == .renewalInfo
        guard let name else { return mayLack && !policy.isStrict ? nil : "it has no environment" }
        return policy.environments.contains { $0.rawValue == name } ? nil : "its environment is \(name)"
    }

    private func objectionToPurchase(of payload: JSONObject, _ kind: ReceiptKind) -> String? {
        if policy.refusesRevokedPurchases, kind == .transaction, let date = payload["revocationDate"], date != .null,
            !Self.isRefundedInPart(payload)
        {
            return "it is revoked"
        }
        if policy.isStrict, policy.environments.isEmpty || policy.apps.isEmpty { return "the policy is strict" }
        return nil
    }

    /// Returns whether a refund leaves items of a consumable.
    private static func isRefundedInPart(_ payload: JSONObject) -> Bool {
        let type = payload["revocationType"]
        guard payload["type"]?.text == "Consumable", let share = payload["revocationPercentage"]?.integer,
            type == nil || type == .null || type?.text == "REFUND_PRORATED"
        else { return false }
        return share > 0 && share < 100_000
    }

    private static func subject(of notification: JSONObject) -> JSONObject {
        for name in ["data", "summary", "externalPurchaseToken", "appData"] {
            if let object = notification[name]?.object { return object }
        }
        return JSONObject()
    }
}

extension VerificationPolicy {
    /// Policies with different requirements.
    static let samples: [VerificationPolicy] = [
        .init(),
        .init(apps: [.init(bundleID: "com.example.app")], environments: [.sandbox]),
        .init(
            apps: [.init(bundleID: "com.example.app", appAppleID: 1_234_567_890)],
            environments: [.sandbox, .production], isStrict: true
        ),
        .init(kinds: [.transaction, .notification], refusesRevokedPurchases: true),
        .init(apps: [.init(bundleID: "com.example.other", appAppleID: 5)], productIDs: ["monthly"]),
        .init(validity: .now),
        .init(isStrict: true, validity: .at(VerdictChecker.clock), maximumSize: 6000),
    ]
}
