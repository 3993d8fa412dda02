/// A step of a purchase whose calls are measured; later versions can add steps.
public struct PurchaseStage: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name in kebab case.
    public let rawValue: String

    /// Creates a stage of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name.
    public var description: String { rawValue }

    /// The store loads products.
    public static let load = Self(rawValue: "load")
    /// The store sells a product, with the sheet in which the customer decides.
    public static let sale = Self(rawValue: "sale")
    /// A sale is verified, recorded and handed over: from the store's answer to the result of the purchase.
    public static let purchase = Self(rawValue: "purchase")
    /// The verifier verifies one signature.
    public static let verify = Self(rawValue: "verify")
    /// The ledger or the database records one purchase.
    public static let record = Self(rawValue: "record")

    /// The stages of this version.
    public static let all: [Self] = [.load, .sale, .purchase, .verify, .record]

    /// Whether the customer decides within the stage, so that a long time means nothing.
    public var waitsForCustomer: Bool { self == .sale }
}

/// The time of one call of a stage.
public struct StageTiming: Sendable, Hashable {
    /// The stage.
    public let stage: PurchaseStage
    /// The time in milliseconds, by a clock that is never set; at least 0.
    public let milliseconds: Int64
    /// The stable code of the failure; nil if the call has succeeded, and if the customer has cancelled it.
    public let failureCode: String?

    /// Creates a timing; a time below 0 becomes 0.
    public init(_ stage: PurchaseStage, milliseconds: Int64, failureCode: String? = nil) {
        self.stage = stage
        self.milliseconds = max(0, milliseconds)
        self.failureCode = failureCode
    }
}
