/// What the leaf of a chain signs; the rules for the chain depend on it.
enum ChainPurpose: Sendable, Hashable {
    /// A JWS, with ES256, under Apple Root CA - G3.
    case jws
    /// An app receipt, with RSA, under Apple Root CA.
    ///
    /// Its certificates may be signed with SHA-1, as all were until 2023. Nothing else may.
    case appReceipts

    /// The type of the leaf's key.
    var keyKind: PublicKey.Kind {
        switch self {
        case .jws: .p256
        case .appReceipts: .rsa
        }
    }

    /// Returns whether a leaf's key is of the required type and size.
    func accepts(_ leaf: Certificate) -> Bool {
        leaf.keyKind == keyKind && (self == .jws || Budget.receiptKeyBits.contains(leaf.keyBits))
    }

    /// The required key in words.
    var keyRequirement: String {
        switch self {
        case .jws: "a P-256 key"
        case .appReceipts:
            "an RSA key of \(Budget.receiptKeyBits.lowerBound) to \(Budget.receiptKeyBits.upperBound) bits"
        }
    }
}
