/// What has been handed over for a purchase.
public enum Fulfilment: String, Sendable, Hashable {
    /// The customer has what they paid for.
    case granted
    /// It has been taken back, or was never handed over because it was paid back before.
    case revoked
}
