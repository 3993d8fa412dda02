internal import PurchaseCore

extension StoreError {
    /// An error of the local store as an app gets it.
    init(_ error: LocalStoreError) {
        let code: Code =
            switch error.code {
            case .unknownProduct: .productUnavailable
            case .unknownAccount: .purchaseNotAllowed
            case .unknownOffer, .ineligibleForOffer: .ineligibleForOffer
            case .invalidQuantity: .invalidQuantity
            default: .system
            }
        self.init(code, error.message, underlying: error)
    }

    /// An error that the settings name, as Xcode names it: the words decide, not how they are written.
    init(simulating name: String) {
        let letters = String(
            decoding: name.utf8.filter { $0 >= UInt8(ascii: "A") }.map { $0 | 0x20 }, as: UTF8.self)
        let code = Self.simulated.first { letters.contains($0.word) }?.code ?? .unknown
        self.init(code, "the settings simulate \(name)")
    }

    private static let simulated: [(word: String, code: Code)] = [
        ("network", .network), ("productunavailable", .productUnavailable), ("storefront", .productUnavailable),
        ("notallowed", .purchaseNotAllowed), ("quantity", .invalidQuantity), ("ineligible", .ineligibleForOffer),
        ("cancel", .userCancelled), ("unsupported", .unsupported), ("entitled", .system), ("system", .system),
    ]
}
