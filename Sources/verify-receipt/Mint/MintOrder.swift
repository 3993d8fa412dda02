internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// What test receipts are asked for.
struct MintOrder {
    let kind: ReceiptKind
    let bundleID: String
    let appAppleID: Int64
    let productID: String
    let environment: StoreEnvironment
    let count: Int

    init(_ arguments: Arguments) throws(UsageError) {
        for flag in [Flag.bundleID, .environment, .kind, .productID] where arguments.values(of: flag).count > 1 {
            throw UsageError("\(flag.spelling) is given twice", hint: "a test receipt has one")
        }
        kind = VerificationSetup.kinds(arguments).first ?? .transaction
        guard kind != .playPurchase else {
            throw UsageError("mint makes no Google Play purchases", hint: "--kind takes a kind of the App Store")
        }
        let app = try VerificationSetup.apps(arguments).first
        bundleID = app?.bundleID ?? "com.example.app"
        appAppleID = app?.appAppleID ?? 1_234_567_890
        productID = arguments.value(of: .productID) ?? "\(bundleID).premium.monthly"
        environment = VerificationSetup.environments(arguments).first ?? .sandbox
        count = try arguments.positiveNumber(of: .count) ?? 1
    }
}
