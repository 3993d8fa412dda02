public import PurchaseCore
internal import ReceiptTypes

/// What a paywall tells the customer, and what it offers to do next.
public struct PaywallMessage: Sendable, Hashable {
    /// The kind of a message, for its colour and its symbol.
    public enum Tone: String, Sendable, Hashable, CaseIterable {
        /// The customer has what was asked for.
        case success
        /// The customer should know it, and nothing is wrong.
        case notice
        /// Something has failed.
        case failure
    }

    /// The button beside a message.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// Buys the selected plan again.
        case buyAgain = "buy-again"
        /// Restores again.
        case restoreAgain = "restore-again"
        /// Loads the products again.
        case loadAgain = "load-again"
        /// Opens the app's way to support, with the export of the log. Buying again would not help.
        case contactSupport = "contact-support"
    }

    /// The kind of the message.
    public let tone: Tone
    /// The key of the text.
    public let key: MessageKey
    /// The button beside the message; nil if the customer has nothing to do.
    public let action: Action?
    /// The failure that the message is about; nil if there is none.
    public let error: PurchaseError?

    init(_ tone: Tone, _ key: MessageKey, action: Action? = nil) {
        self.tone = tone
        self.key = key
        self.action = action
        error = nil
    }

    init(_ error: PurchaseError, action: Action?) {
        tone = .failure
        key = error.messageKey
        self.action = action
        self.error = error
    }

    /// Returns the text, and the advice if there is any, in the first of the customer's languages that the catalog has.
    ///
    /// - Parameters:
    ///   - languages: BCP 47 tags in the order of the customer's preference.
    ///   - catalog: The texts; one that it lacks is taken from `MessageCatalog.paywall`.
    public func userMessage(languages: [String], catalog: MessageCatalog = .paywall) -> UserMessage {
        if let error { return error.userMessage(languages: languages, catalog: catalog) }
        // Merged, so that a catalog that has a text in other languages does not hide the package's text in this one.
        let texts = MessageCatalog.paywall.merging(catalog)
        func text(_ key: MessageKey) -> String? { texts.text(key, languages: languages) }
        return UserMessage(text: text(key) ?? "\(key)", advice: text(MessageKey(rawValue: "\(key).next")) ?? "")
    }
}

extension MessageKey {
    /// The plan is bought and unlocked.
    public static let purchaseUnlocked: Self = "paywall.flow.purchased"
    /// Purchases are restored, and unlock what the paywall sells.
    public static let purchasesRestored: Self = "paywall.flow.restored"
    /// Everything was restored before, and does not unlock what the paywall sells.
    public static let alreadyRestored: Self = "paywall.flow.already-restored"
    /// The customer has nothing to restore.
    public static let nothingToRestore: Self = "paywall.flow.nothing-to-restore"
    /// The store has sold the plan, and it is not in force.
    public static let notActive: Self = "paywall.flow.not-active"
    /// The purchase awaits an approval.
    public static let awaitingApproval: Self = "paywall.flow.awaiting-approval"
    /// The plan changes with the next renewal.
    public static let changesAtRenewal: Self = "paywall.flow.changes-at-renewal"
    /// The store has not answered.
    public static let noAnswer: Self = "paywall.flow.no-answer"
    /// The buyer has to sign in again.
    public static let awaitingSignIn: Self = "paywall.flow.awaiting-sign-in"
}
