/// The steps of a verification, in their order.
public enum VerificationStep: String, Sendable, Hashable, CaseIterable {
    /// What the input is, and how large.
    case input
    /// Segments and their encoding.
    case structure
    /// The JWS header.
    case header
    /// The certificates, each for itself.
    case certificates
    /// The certificates as a chain up to a trusted root.
    case chain
    /// The choice of the key, where the receipt brings none.
    case key
    /// The signature.
    case signature
    /// The payload as JSON.
    case payload
    /// The signing time, and the certificates' dates at that time.
    case effectiveDate = "effective-date"
    /// What the payload says, against the policy.
    case claims
    /// The receipts inside a notification.
    case nested

    /// The step in words.
    public var title: String {
        switch self {
        case .input: "Input"
        case .structure: "Structure and encoding"
        case .header: "Header"
        case .certificates: "Certificates"
        case .chain: "Chain of trust"
        case .key: "Key"
        case .signature: "Signature"
        case .payload: "Payload"
        case .effectiveDate: "Dates"
        case .claims: "Claims"
        case .nested: "Nested receipts"
        }
    }
}
