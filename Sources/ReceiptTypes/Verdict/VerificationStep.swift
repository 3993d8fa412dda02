/// The steps of a verification, in their order.
public enum VerificationStep: String, Sendable, Hashable, CaseIterable {
    /// The format and the size of the input.
    case input
    /// The segments and their encoding.
    case structure
    /// The JWS header.
    case header
    /// Each certificate by itself.
    case certificates
    /// The chain from the leaf to a trusted root.
    case chain
    /// The choice of the public key for a Google Play purchase.
    case key
    /// The signature.
    case signature
    /// The payload as JSON.
    case payload
    /// The signing time, and the validity of the certificates at that time.
    case effectiveDate = "effective-date"
    /// The claims of the payload, compared with the policy.
    case claims
    /// The receipts inside a notification.
    case nested

    /// The title of the step for a person, such as "Chain of trust".
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
