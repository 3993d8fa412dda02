internal import PurchaseCore

extension StoreError {
    /// Creates the error that an app receives for an error of the simulator.
    init(_ error: StoreSimulatorError) {
        let code: Code =
            switch error.code {
            case .unknownProduct, .unknownBillingPlan: .productUnavailable
            case .unknownAccount: .purchaseNotAllowed
            case .unknownOffer, .ineligibleForOffer: .ineligibleForOffer
            case .invalidQuantity, .notSoldInQuantity: .invalidQuantity
            default: .system
            }
        self.init(code, error.message, underlying: error)
    }

    /// Creates the error that the settings simulate, from a name or from the type and index that Xcode writes.
    init(simulating name: String) {
        let words = name.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        let letters = String(
            decoding: name.utf8.filter { $0 >= UInt8(ascii: "A") }.map { $0 | 0x20 }, as: UTF8.self)
        let code: Code?
        if words.count == 2, let index = Int(words[1]), let codes = Self.indexed[words[0]] {
            code = codes.indices.contains(index) ? codes[index] : nil
        } else {
            code = Self.named.first { letters.contains($0.word) }?.code
        }
        self.init(code ?? .unknown, "the settings simulate the error \(name)")
    }

    /// The codes for StoreKit's errors by type, in the order of StoreKit's declarations.
    private static let indexed: [String: [Code]] = [
        "generic": [.unknown, .userCancelled, .network, .system, .productUnavailable, .system, .unsupported],
        "purchase": [
            .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer, .ineligibleForOffer,
            .ineligibleForOffer, .ineligibleForOffer, .ineligibleForOffer,
        ],
    ]

    private static let named: [(word: String, code: Code)] = [
        ("network", .network), ("productunavailable", .productUnavailable), ("storefront", .productUnavailable),
        ("notallowed", .purchaseNotAllowed), ("quantity", .invalidQuantity), ("ineligible", .ineligibleForOffer),
        ("cancel", .userCancelled), ("unsupported", .unsupported), ("entitled", .system), ("system", .system),
    ]
}
