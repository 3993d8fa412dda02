/// An offer that somebody asks for.
public enum RequestedOffer: Codable, Sendable, Hashable {
    /// A promotional offer, by its id.
    case promotional(id: String)
    /// A code, by the reference name of its offer.
    case code(name: String)
    /// A win-back offer, by its id.
    case winBack(id: String)
}
