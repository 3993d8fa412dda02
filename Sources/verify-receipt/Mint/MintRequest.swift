internal import CommandLineInterface
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// The kind, contents and number of the receipts that `mint` makes.
struct MintRequest {
    let kind: ReceiptKind
    let flaw: ReceiptFlaw?
    let bundleID: String
    let appAppleID: Int64
    let productID: String
    let type: ProductType
    let environment: StoreEnvironment
    let notificationType: NotificationType
    let subtype: NotificationSubtype?
    let count: Int
    /// The form of app receipts.
    let form: AppReceiptAuthority.Form
    /// The device of app receipts; nil for those that a server fetched.
    let device: DeviceID?
    /// The time at which the receipts are signed.
    let now: Timestamp
    /// The number from which IDs derive.
    let seed: UInt64
    /// Members with other values, in the order of the command line.
    let assignments: [MemberAssignment]

    init(_ session: Session) throws(UsageError) {
        let arguments = session.arguments
        for flag in [Flag.bundleID, .environment, .kind, .productID] where arguments.values(of: flag).count > 1 {
            throw UsageError("\(flag.spelling) is given twice", hint: "mint takes one value")
        }
        now = try Self.time(arguments)
        seed = try Self.seed(arguments)
        count = try arguments.positiveNumber(of: .count) ?? 1
        flaw = arguments.value(of: .flaw).flatMap { name in
            WordSearch.match(name, in: ReceiptFlaw.all.map(\.name)).flatMap(ReceiptFlaw.init(named:))
        }
        kind = try Self.kind(arguments, flaw)
        for flag in [Flag.form, .deviceID] where arguments.mentions(flag) && kind != .appReceipt {
            throw UsageError(
                "\(flag.spelling) cannot be used for \(kind.title)", hint: "write --kind app-receipt")
        }
        form = arguments.value(of: .form).flatMap(AppReceiptAuthority.Form.init(rawValue:)) ?? .sha256
        device = try VerificationSetup.device(arguments)
        let app = try VerificationSetup.apps(arguments).first
        bundleID = app?.bundleID ?? "com.example.app"
        appAppleID = app?.appAppleID ?? 1_234_567_890
        environment = VerificationSetup.environments(arguments).first ?? .sandbox
        notificationType =
            Self.word(.notificationType, NotificationType.known, session).map(NotificationType.init(rawValue:))
            ?? .didRenew
        subtype = Self.word(.subtype, NotificationSubtype.known, session).map(NotificationSubtype.init(rawValue:))
        let word = try Self.type(arguments, kind, notificationType)
        type = word.type
        productID = arguments.value(of: .productID) ?? "\(bundleID).\(word.productName)"
        assignments = try MemberAssignment.all(in: session, kind: kind, now: now)
    }

    private static func kind(_ arguments: Arguments, _ flaw: ReceiptFlaw?) throws(UsageError) -> ReceiptKind {
        let isNotification = arguments.mentions(.notificationType) || arguments.mentions(.subtype)
        let given = VerificationSetup.kinds(arguments).first ?? (isNotification ? .notification : nil)
        let kind = given ?? flaw?.kinds.first ?? .transaction
        if isNotification, kind != .notification {
            let flag = arguments.mentions(.notificationType) ? Flag.notificationType : .subtype
            throw UsageError("\(flag.spelling) cannot be used for \(kind.title)", hint: "write --kind notification")
        }
        if let flaw, !flaw.kinds.contains(kind) {
            throw UsageError(
                "\(kind.title) cannot have the flaw \(flaw.name)",
                hint: "it is a flaw of \(flaw.kinds.map(\.title).joined(separator: ", "))")
        }
        return kind
    }

    // MARK: Time and seed

    private static func time(_ arguments: Arguments) throws(UsageError) -> Timestamp {
        let clock = SystemClock.now()
        guard let text = arguments.value(of: .mintedAt) else { return clock }
        guard let time = MintedTime.parse(text, now: clock) else {
            throw UsageError(
                "--at does not take \(Escaped(text).quoted)",
                hint: "it takes a time such as 2024-05-01T12:00:00Z, or one relative to now, such as -P1D or +PT1H")
        }
        return time
    }

    private static func seed(_ arguments: Arguments) throws(UsageError) -> UInt64 {
        guard let text = arguments.value(of: .seed) else { return .random(in: .min ... .max) }
        guard let seed = UInt64(text) else {
            throw UsageError("--seed takes a whole number, not \(Escaped(text).quoted)")
        }
        return seed
    }

    // MARK: Words

    /// Returns the word of a list that a flag names; another word stays as it is, with a warning.
    private static func word<Word: OpenEnum>(
        _ flag: Flag, _ known: [Word], _ session: Session
    ) -> String? where Word.RawValue == String {
        guard let text = session.arguments.value(of: flag) else { return nil }
        let names = known.map(\.rawValue)
        let wanted = String(text.map { $0 == "-" ? "_" : $0 })
        if let name = WordSearch.match(wanted, in: names) { return name }
        session.messages.warn(
            "this version does not know \(Escaped(text).quoted) as a value of \(flag.spelling)",
            hint: WordSearch.nearest(to: wanted, in: names).map { "did you mean \($0)" })
        return text
    }

    private static func type(
        _ arguments: Arguments, _ kind: ReceiptKind, _ notification: NotificationType
    ) throws(UsageError) -> ProductTypeWord {
        guard let text = arguments.value(of: .type) else {
            return notification == .oneTimeCharge ? .consumable : .autoRenewable
        }
        guard [.transaction, .notification, .playPurchase, .appReceipt].contains(kind) else {
            throw UsageError(
                "--type cannot be used for \(kind.title)",
                hint: "it is the type of the product of a transaction, a notification, a Google Play purchase or an "
                    + "app receipt")
        }
        return ProductTypeWord(text) ?? .autoRenewable
    }
}

/// A time on the command line: RFC 3339, or a duration before or after now, such as `-P1D` or `+PT1H`.
enum MintedTime {
    static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        if let time = Timestamp(rfc3339: text) { return time }
        switch text.first {
        case "-": return ISO8601Duration(String(text.dropFirst()))?.before(now)
        case "+": return ISO8601Duration(String(text.dropFirst()))?.after(now)
        default: return nil
        }
    }
}
