public import PurchaseCore
public import ReceiptTypes

/// An error of a command, a state file or the keys of a store simulator.
public typealias StoreSimulatorError = PartError<StoreSimulatorErrorCode>

/// The stable reason of a ``StoreSimulatorError``.
public struct StoreSimulatorErrorCode: ErrorCode {
    /// The stable name in kebab case, such as `unknown-product`.
    public let rawValue: String

    /// Creates a code with any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The state has no account with the name.
    public static let unknownAccount = Self(rawValue: "unknown-account")
    /// The configuration has no product with the identifier.
    public static let unknownProduct = Self(rawValue: "unknown-product")
    /// The state has no transaction with the identifier.
    public static let unknownTransaction = Self(rawValue: "unknown-transaction")
    /// No subscription has a transaction with the identifier.
    public static let unknownSubscription = Self(rawValue: "unknown-subscription")
    /// No purchase with the identifier waits for this command.
    public static let unknownPurchase = Self(rawValue: "unknown-purchase")
    /// The product has no offer with the name.
    public static let unknownOffer = Self(rawValue: "unknown-offer")
    /// The customer is not eligible for the offer.
    public static let ineligibleForOffer = Self(rawValue: "ineligible-for-offer")
    /// The product is not sold with this payment schedule.
    public static let unknownBillingPlan = Self(rawValue: "unknown-billing-plan")
    /// The product cannot be bought in this quantity.
    public static let invalidQuantity = Self(rawValue: "invalid-quantity")
    /// The product is sold only one at a time.
    public static let notSoldInQuantity = Self(rawValue: "not-sold-in-quantity")
    /// The refund is of more than the purchase, or of nothing.
    public static let invalidRefund = Self(rawValue: "invalid-refund")
    /// The command does not apply to the current state.
    public static let invalidAction = Self(rawValue: "invalid-action")
    /// The command would set the simulated clock back.
    public static let clockBackward = Self(rawValue: "clock-backward")
    /// The command would cause more renewals than one command may.
    public static let tooManyEvents = Self(rawValue: "too-many-events")
    /// The state file cannot be read.
    public static let unreadableState = Self(rawValue: "unreadable-state")
    /// The state file is damaged, was edited, or is not a state file.
    public static let damagedState = Self(rawValue: "damaged-state")
    /// A newer version of this module wrote the state file.
    public static let newerState = Self(rawValue: "newer-state")
    /// The state file cannot be written.
    public static let unwritableState = Self(rawValue: "unwritable-state")
    /// Another process has changed the state file since this one read it.
    public static let changedState = Self(rawValue: "changed-state")
    /// The keys cannot be read or generated.
    public static let unusableKeys = Self(rawValue: "unusable-keys")
    /// A step runs on the calling thread, and the call would wait for its end.
    public static let nestedStep = Self(rawValue: "nested-step")
    /// Signing failed.
    public static let notSigned = Self(rawValue: "not-signed")
    /// A ``FaultPlan`` has ended the simulated process.
    public static let crashed = Self(rawValue: "crashed")
}
