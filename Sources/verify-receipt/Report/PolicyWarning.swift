internal import ReceiptTypes
internal import ReceiptVerification

/// Something that was not asked for, although a verdict says little without it.
struct PolicyWarning {
    let code: String
    let message: String
    let hint: String

    var json: JSONValue { .object(["code": .string(code), "message": .string(message)]) }

    /// The warnings for what a policy leaves open and a receipt of that kind could have answered.
    static func warnings(for policy: VerificationPolicy, kinds: [ReceiptKind]) -> [PolicyWarning] {
        var warnings: [PolicyWarning] = []
        if policy.apps.isEmpty {
            warnings.append(
                .init(
                    code: "no-bundle-id",
                    message: "no bundle id was asked for, so a receipt of any app is accepted",
                    hint: "name your app with --bundle-id"
                )
            )
        }
        if policy.environments.isEmpty, kinds.contains(where: { $0 != .playPurchase }) {
            warnings.append(
                .init(
                    code: "no-environment",
                    message: "no environment was asked for, so a test purchase is accepted",
                    hint: "name the environment with --environment Production"
                )
            )
        }
        return warnings
    }
}
