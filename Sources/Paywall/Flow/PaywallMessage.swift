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
    ///   - catalog: The texts; one that it lacks is taken from `MessageCatalog.paywallFlow`.
    public func userMessage(languages: [String], catalog: MessageCatalog = .paywallFlow) -> UserMessage {
        if let error { return error.userMessage(languages: languages, catalog: catalog) }
        func text(_ key: MessageKey) -> String? {
            catalog.text(key, languages: languages) ?? MessageCatalog.paywallFlow.text(key, languages: languages)
        }
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

extension MessageCatalog {
    /// `MessageCatalog.standard` with the texts that a paywall shows after a purchase and after a restore.
    public static let paywallFlow = standard.merging(
        MessageCatalog(
            Dictionary(
                flowTexts.map { key, texts in
                    (key, Dictionary(zip(standardLanguages, texts), uniquingKeysWith: { first, _ in first }))
                }, uniquingKeysWith: { first, _ in first })))

    private static let flowTexts: [(String, [String])] = [
        ("paywall.flow.purchased", ["Thank you. It is unlocked now.", "ありがとうございます。ご利用いただけるようになりました。", "谢谢，现在可以使用了。"]),
        ("paywall.flow.restored", ["Your purchase is restored.", "購入が復元されました。", "您的购买已恢复。"]),
        (
            "paywall.flow.already-restored",
            [
                "Your purchases were restored before. They do not include this.", "購入は復元済みですが、この内容は含まれていません。",
                "您的购买此前已恢复，但不包含此内容。",
            ]
        ),
        (
            "paywall.flow.nothing-to-restore",
            ["There is nothing to restore.", "復元できる購入はありません。", "没有可恢复的购买。"]
        ),
        // The document says "subscription" for every product, and its text is the English one.
        ("paywall.flow.not-active", ["Subscription not active yet.", "サブスクリプションはまだ有効になっていません。", "订阅尚未生效。"]),
        (
            "paywall.flow.not-active.next",
            [
                "Do not buy it again. If it does not become active, contact support.",
                "もう一度購入する必要はありません。有効にならない場合は、サポートにお問い合わせください。", "无需重复购买。如一直未生效，请联系客服。",
            ]
        ),
        (
            "paywall.flow.awaiting-approval",
            [
                "The purchase awaits an approval. It is unlocked as soon as it is approved.",
                "購入は承認待ちです。承認されるとご利用いただけます。", "此次购买正在等待批准，批准后即可使用。",
            ]
        ),
        (
            "paywall.flow.changes-at-renewal",
            ["The plan changes with the next renewal.", "プランは次回の更新時に変更されます。", "方案将在下次续订时更改。"]
        ),
        (
            "paywall.flow.no-answer",
            [
                "The store has not answered. If you have paid, the purchase is unlocked as soon as it arrives.",
                "ストアから応答がありません。お支払い済みの場合は、購入が届き次第ご利用いただけます。", "商店没有响应。如果您已付款，购买到达后即可使用。",
            ]
        ),
        (
            "paywall.flow.awaiting-sign-in",
            [
                "The purchase is unlocked when its buyer signs in again.", "購入した方が再度サインインするとご利用いただけます。",
                "购买者重新登录后即可使用。",
            ]
        ),
    ]
}
