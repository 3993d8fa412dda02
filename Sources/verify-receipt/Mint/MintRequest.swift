internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The kind, contents and number of the receipts that `mint` makes.
struct MintRequest {
    let kind: ReceiptKind
    let bundleID: String
    let appAppleID: Int64
    let productID: String
    let environment: StoreEnvironment
    let count: Int

    init(_ arguments: Arguments) throws(UsageError) {
        for flag in [Flag.bundleID, .environment, .kind, .productID] where arguments.values(of: flag).count > 1 {
            throw UsageError("\(flag.spelling) is given twice", hint: "mint takes one value")
        }
        kind = VerificationSetup.kinds(arguments).first ?? .transaction
        guard kind != .playPurchase else {
            throw UsageError(
                "mint cannot make Google Play purchases", hint: "choose a kind of App Store receipt with --kind")
        }
        let app = try VerificationSetup.apps(arguments).first
        bundleID = app?.bundleID ?? "com.example.app"
        appAppleID = app?.appAppleID ?? 1_234_567_890
        productID = arguments.value(of: .productID) ?? "\(bundleID).premium.monthly"
        environment = VerificationSetup.environments(arguments).first ?? .sandbox
        count = try arguments.positiveNumber(of: .count) ?? 1
    }
}
