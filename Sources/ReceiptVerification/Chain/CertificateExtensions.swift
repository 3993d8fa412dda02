/// The extensions with which Apple marks the purpose of a certificate.
///
/// Only their presence is checked.
package enum MarkerOID {
    /// The marker of a leaf that signs App Store receipts.
    package static let receiptSigning = "1.2.840.113635.100.6.11.1"
    /// The marker of the intermediate that issues such leaves (Apple Worldwide Developer Relations).
    package static let developerRelations = "1.2.840.113635.100.6.2.1"
}

/// The extensions that the chain rules know.
///
/// Any other critical extension is a reason to reject (RFC 5280 4.2).
enum UnderstoodExtension {
    static let basicConstraints = "2.5.29.19"
    static let keyUsage = "2.5.29.15"
    static let extendedKeyUsage = "2.5.29.37"

    static let all: Set<String> = [
        basicConstraints, keyUsage, extendedKeyUsage, MarkerOID.receiptSigning, MarkerOID.developerRelations,
    ]
}

extension Certificate {
    /// The first critical extension by which a verifier must reject the certificate, in words; nil if there is none.
    ///
    /// A critical extendedKeyUsage restricts the key to its purposes (RFC 5280 4.2.1.12); signing receipts is a kind of
    /// code signing.
    var refusedCriticalExtension: String? {
        let critical = extensions.filter(\.isCritical)
        if let unknown = critical.first(where: { !UnderstoodExtension.all.contains($0.oid) }) {
            return "unknown critical extension \(unknown.oid)"
        }
        guard !hasCodeSigningPurpose, critical.contains(where: { $0.oid == UnderstoodExtension.extendedKeyUsage })
        else { return nil }
        return "critical extendedKeyUsage with neither codeSigning nor anyExtendedKeyUsage"
    }
}
