public import ReceiptTypes

/// What a customer may use, and why.
public struct Entitlements: Sendable, Hashable {
    /// Nothing.
    public static let empty = Entitlements()

    /// The grounds of each entitlement that is granted, the best first; there is no entitlement without one.
    public let grounds: [Entitlement: [Ground]]
    /// Why products that were bought give nothing, by product id.
    public let denials: [String: DenialReason]
    /// How many of each consumable were bought and not paid back, by product id. What the app has used up, it knows itself.
    public let balances: [String: Int]
    /// The subscriptions that renew to another product, by product id.
    public let planChanges: [PlanChange]
    /// The instant for which this was computed; nil where nothing was yet.
    public let asOf: Timestamp?

    init(
        grounds: [Entitlement: [Ground]] = [:],
        denials: [String: DenialReason] = [:],
        balances: [String: Int] = [:],
        planChanges: [PlanChange] = [],
        asOf: Timestamp? = nil
    ) {
        self.grounds = grounds
        self.denials = denials
        self.balances = balances
        self.planChanges = planChanges
        self.asOf = asOf
    }

    /// Whether everything is granted.
    public var isPro: Bool { grants(.pro) }

    /// The templates that were bought by themselves.
    public var templates: Set<TemplateID> {
        Set(
            grounds.keys.compactMap { entitlement in
                if case .template(let id) = entitlement { id } else { nil }
            })
    }

    /// Whether something may be used: it has a ground of its own, or everything is granted.
    public func grants(_ entitlement: Entitlement) -> Bool {
        grounds[entitlement] != nil || grounds[.pro] != nil
    }

    /// Whether something may still be used at a later instant, if nothing is renewed or paid back.
    public func grants(_ entitlement: Entitlement, at now: Timestamp) -> Bool {
        [entitlement, .pro].contains { grounds[$0]?.contains { $0.holds(at: now) } ?? false }
    }

    /// The first instant at which a ground ends; nil where none does. After it the entitlements want a refresh.
    public var nextEnd: Timestamp? { grounds.values.lazy.joined().compactMap(\.end).min() }
}
