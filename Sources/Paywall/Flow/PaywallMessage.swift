public import PurchaseCore
internal import ReceiptTypes

/// What a paywall or a restore tells the customer, and what it offers to do next.
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
        /// Buys the plan of the purchase that has failed; offered only after a purchase that has certainly cost
        /// nothing.
        case buyAgain = "buy-again"
        /// Restores the purchases, also to find out whether a purchase was made.
        case restoreAgain = "restore-again"
        /// Loads the products again.
        case loadAgain = "load-again"
        /// Stops waiting for the approval of the selected plan, so that it can be ordered again.
        case stopWaiting = "stop-waiting"
        /// Opens the app's way to support, with the log of ``PaywallViewModel/supportLog()`` or
        /// ``RestoreViewModel/supportLog()``. Buying again would not help.
        case contactSupport = "contact-support"
    }

    /// A text of the catalog with the values of its placeholders.
    struct Words: Sendable, Hashable {
        let key: MessageKey
        var values: [String: String] = [:]
        /// The value of `{date}`, which is written in the customer's language.
        var date: Timestamp?

        init(_ key: MessageKey, _ values: [String: String] = [:], date: Timestamp? = nil) {
            self.key = key
            self.values = values
            self.date = date
        }

        init(_ message: some CountedMessage, count: Int) {
            self.init(message.key(isOne: count == 1), ["count": "\(count)"])
        }

        func text(_ texts: PaywallTexts) -> String? {
            texts.text(key, values.merging(date.map { ["date": texts.day(of: $0)] } ?? [:]) { $1 })
        }
    }

    /// The kind of the message.
    public let tone: Tone
    /// The button beside the message; nil if the customer has nothing to do.
    public let action: Action?
    /// The failure that the message is about; nil if there is none.
    public let error: PurchaseError?
    private let words: Words
    /// The advice; nil for the one of the text or of the failure.
    private let advice: Words?

    /// The key of the text.
    public var key: MessageKey { words.key }

    init(_ tone: Tone, _ words: Words, advice: Words? = nil, action: Action? = nil) {
        self.tone = tone
        self.words = words
        self.advice = advice
        self.action = action
        error = nil
    }

    init(_ tone: Tone, _ key: MessageKey, action: Action? = nil) {
        self.init(tone, Words(key), action: action)
    }

    init(_ error: PurchaseError, advice: Words? = nil, action: Action?) {
        tone = .failure
        words = Words(error.messageKey)
        self.advice = advice
        self.action = action
        self.error = error
    }

    /// Returns the message of a restore that has brought nothing which the paywall sells.
    func withAdvice(_ advice: Words) -> PaywallMessage {
        PaywallMessage(tone == .success ? .notice : tone, words, advice: self.advice ?? advice, action: action)
    }

    /// Returns the text, and the advice if there is any, in the customer's language.
    public func userMessage(_ texts: PaywallTexts) -> UserMessage {
        let own = error?.userMessage(languages: texts.languages, catalog: texts.catalog)
        let next = advice?.text(texts) ?? own?.advice ?? texts.text(MessageKey(rawValue: "\(key).next"))
        return UserMessage(text: own?.text ?? words.text(texts) ?? "\(key)", advice: next ?? "")
    }

    /// Returns the text, and the advice if there is any, in the first of the customer's languages that has a text.
    ///
    /// - Parameters:
    ///   - languages: BCP 47 tags in the order of the customer's preference.
    ///   - catalog: The texts; one that it lacks is taken from `MessageCatalog.paywall`.
    public func userMessage(languages: [String], catalog: MessageCatalog = .paywall) -> UserMessage {
        userMessage(PaywallTexts(languages: languages, catalog: catalog))
    }
}

extension PaywallTexts {
    /// Returns the words on the button beside a message.
    public func label(of action: PaywallMessage.Action) -> String {
        switch action {
        case .buyAgain, .loadAgain: text(FlowMessage.tryAgain)
        case .restoreAgain: text(TermsMessage.restore)
        case .stopWaiting: text(FlowMessage.stopWaiting)
        case .contactSupport: text(DetailMessage.contactSupport)
        }
    }
}

// MARK: - The words of a restore

extension PaywallMessage {
    /// Creates the message of a restore, the same on a paywall and on a screen of its own.
    init(_ result: OneTimeRestoreResult) {
        let missing = result.problems.count(where: \.isRetryable)
        let rejected = result.problems.count - missing
        // Another attempt comes first, because support cannot help with what the next attempt restores.
        let advice: Words? =
            if missing > 0 {
                Words(RestoredMessage.incomplete, count: missing)
            } else if rejected > 0 {
                Words(RestoredMessage.rejected, count: rejected)
            } else {
                nil
            }
        let action: Action? = missing > 0 ? .restoreAgain : rejected > 0 ? .contactSupport : nil
        switch result.outcome {
        case .restored(let count):
            self.init(.success, Words(RestoredMessage.restored, count: count), advice: advice, action: action)
        case .alreadyRestored:
            let message: RestoreMessage = result.problems.isEmpty ? .alreadyRestored : .othersRestored
            self.init(.success, Words(message.key), advice: advice, action: action)
        case .nothingFound:
            let otherAccount = Words(RestoreMessage.otherAccount.key)
            self.init(.notice, Words(.nothingToRestore), advice: advice ?? otherAccount, action: action)
        // The purchase is fine, so neither another attempt nor support would help.
        case .failed(let error) where error.isAwaitingApproval: self.init(.notice, .awaitingApproval)
        case .failed(let error) where error.code == .purchaseCancelled:
            self.init(.notice, .restoreCancelled, action: .restoreAgain)
        case .failed(let error): self.init(error, action: error.isRetryable ? .restoreAgain : .contactSupport)
        }
    }
}

extension PurchaseError {
    /// Whether a restore has found nothing but a purchase that awaits something outside of the app.
    var isAwaitingApproval: Bool { verificationFailure?.code == .purchasePending }
}

extension MessageKey {
    /// The plan is bought and unlocked.
    public static let purchaseUnlocked = FlowMessage.purchased.key
    /// The plan is bought and unlocked, although the signature of the store's first answer was not valid.
    public static let purchaseConfirmed = FlowMessage.confirmed.key
    /// Purchases are restored, and unlock what the paywall sells.
    public static let purchasesRestored = FlowMessage.restored.key
    /// What the paywall sells is unlocked, by a purchase on another device or by an earlier one that was approved.
    public static let unlockedElsewhere = FlowMessage.unlocked.key
    /// Everything was restored before, and does not unlock what the paywall sells.
    public static let alreadyRestored = RestoreMessage.alreadyRestored.key
    /// The customer has nothing to restore.
    public static let nothingToRestore = RestoreMessage.nothingFound.key
    /// The store has sold a subscription, and it is not in force.
    public static let notActive = FlowMessage.notActive.key
    /// The store has sold a product that is not a subscription, and it is not in force.
    public static let notUnlocked = FlowMessage.notUnlocked.key
    /// The store says that the customer has the plan, and has sold nothing; the plan is not in force.
    public static let notOwned = FlowMessage.notOwned.key
    /// The purchase awaits an approval.
    public static let awaitingApproval = FlowMessage.awaitingApproval.key
    /// The purchase of the selected plan still awaits an approval.
    public static let stillAwaitingApproval = FlowMessage.stillAwaitingApproval.key
    /// The plan changes with the next renewal.
    public static let changesAtRenewal = FlowMessage.changesAtRenewal.key
    /// The plan changes with the next renewal, on `{date}`.
    public static let changesOnDate = FlowMessage.changesOn.key
    /// The requested offer begins with the next renewal.
    public static let offerAtRenewal = FlowMessage.offerAtRenewal.key
    /// The requested offer begins with the next renewal, on `{date}`.
    public static let offerOnDate = FlowMessage.offerOn.key
    /// The renewal of the subscription is switched on again.
    public static let renewsAgain = FlowMessage.renewsAgain.key
    /// The renewal of the subscription is switched on again, and comes on `{date}`.
    public static let renewsAgainOnDate = FlowMessage.renewsAgainOn.key
    /// The store has not answered.
    public static let noAnswer = FlowMessage.noAnswer.key
    /// It is not known whether an earlier purchase was made, so nothing is bought.
    public static let undecidedPurchase = FlowMessage.undecided.key
    /// The buyer has to sign in again.
    public static let awaitingSignIn = FlowMessage.awaitingSignIn.key
    /// A purchase or a restore has run for a minute, and the customer can leave it.
    public static let takingLong = FlowMessage.takingLong.key
}
