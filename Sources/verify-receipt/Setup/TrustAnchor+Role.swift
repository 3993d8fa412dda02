internal import ReceiptVerification

extension TrustAnchor {
    /// What a certificate is in a chain, according to its own contents.
    enum Role: String {
        case root
        /// A self-signed certificate that signs receipts itself, as Xcode makes it.
        case local
        case intermediate
        case leaf

        /// Whether a receipt's chain can end at such a certificate.
        var canBeRoot: Bool { self == .root || self == .local }

        var words: String {
            switch self {
            case .root: "a root certificate"
            case .local: "a self-signed certificate that is not a CA"
            case .intermediate: "an intermediate certificate"
            case .leaf: "a leaf certificate"
            }
        }
    }

    var role: Role {
        isSelfIssued ? (mayIssue ? .root : .local) : (mayIssue ? .intermediate : .leaf)
    }
}
