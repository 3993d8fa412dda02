public import PurchaseCore

extension MessageCatalog {
    /// The texts of the core and of the screens: `standard`, and everything whose key begins with `paywall.`.
    ///
    /// A text with a number has two keys, one for the number 1 that ends in `.one`, and one that ends in `.other`.
    public static let paywall = standard.merging(
        MessageCatalog(
            Dictionary(
                CustomerMessages.all.map { key, texts in
                    (key.rawValue, Dictionary(zip(standardLanguages, texts), uniquingKeysWith: { first, _ in first }))
                }, uniquingKeysWith: { first, _ in first })))
}

/// A text of the screens, in the order of `MessageCatalog.standardLanguages`: English, Japanese, Simplified Chinese.
protocol CustomerMessage: RawRepresentable<String>, CaseIterable {
    var texts: [String] { get }
}

extension CustomerMessage {
    var key: MessageKey { MessageKey(rawValue: "paywall.\(rawValue)") }
}

/// A text with a number, which has a form for 1 and another one.
protocol CountedMessage: RawRepresentable<String>, CaseIterable {
    func texts(isOne: Bool) -> [String]
}

extension CountedMessage {
    func key(isOne: Bool) -> MessageKey { MessageKey(rawValue: "paywall.\(rawValue).\(isOne ? "one" : "other")") }
}

/// The texts of all messages.
enum CustomerMessages {
    static var all: [(MessageKey, [String])] {
        texts(of: DateMessage.self) + texts(of: MonthMessage.self) + texts(of: PriceMessage.self)
            + texts(of: TermsMessage.self) + texts(of: CardMessage.self)
            + texts(ofCounted: LengthMessage.self) + texts(ofCounted: RateMessage.self)
            + texts(ofCounted: PriceAgeMessage.self) + texts(ofCounted: TrialMessage.self)
            + texts(of: PurchaseMessage.self) + texts(of: DetailMessage.self)
            + texts(of: SubscriptionMessage.self) + texts(of: RestoreMessage.self)
            + texts(ofCounted: RestoredMessage.self) + texts(of: FlowMessage.self)
    }

    private static func texts<Message: CustomerMessage>(of _: Message.Type) -> [(MessageKey, [String])] {
        Message.allCases.map { ($0.key, $0.texts) }
    }

    private static func texts<Message: CountedMessage>(ofCounted _: Message.Type) -> [(MessageKey, [String])] {
        Message.allCases.flatMap { message in
            [true, false].map { (message.key(isOne: $0), message.texts(isOne: $0)) }
        }
    }
}
