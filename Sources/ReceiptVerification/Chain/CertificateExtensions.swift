/// The extensions by which Apple marks what a certificate is for; their content does not matter.
package enum MarkerOID {
    /// Marks a leaf that signs App Store receipts.
    package static let receiptSigning = "1.2.840.113635.100.6.11.1"
    /// Marks the intermediate that issues such leaves (Apple Worldwide Developer Relations).
    package static let developerRelations = "1.2.840.113635.100.6.2.1"
}

/// The extensions that are understood here; any other that is critical refuses the certificate (RFC 5280 4.2).
enum UnderstoodExtension {
    static let basicConstraints = "2.5.29.19"
    static let keyUsage = "2.5.29.15"
    static let extendedKeyUsage = "2.5.29.37"

    static let all: Set<String> = [
        basicConstraints, keyUsage, extendedKeyUsage, MarkerOID.receiptSigning, MarkerOID.developerRelations,
    ]
}
