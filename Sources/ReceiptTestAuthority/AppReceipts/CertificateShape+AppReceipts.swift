internal import ReceiptTypes
internal import ReceiptVerification

extension CertificateShape {
    // The years from the first app receipts to the end of UTCTime's use in test certificates: 2008 to 2039.
    private static let start = Timestamp(clampingSeconds: 1_199_145_600)
    private static let end = Timestamp(clampingSeconds: 2_208_988_800)

    private static let country = NameAttribute("C", "US")
    private static let organization = NameAttribute("O", "Receipt Test Authority")

    /// A policy, as Apple's certificates name it: id 1.2.840.113635.100.5.6.1 (RFC 5280 4.2.1.4).
    private static let policies = RawExtension(
        oid: "2.5.29.32",
        value: [0x30, 0x0E, 0x30, 0x0C, 0x06, 0x0A, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x05, 0x06, 0x01])

    // Nothing answers at these addresses: the top-level domain is reserved (RFC 2606).
    private static let revocationList = "URI:http://crl.receipt-test.invalid/list.crl"
    private static let responder = "OCSP;URI:http://ocsp.receipt-test.invalid/ocsp"

    /// A root of app receipts like Apple Root CA: RSA, signed with SHA-1, may issue.
    public static let appReceiptRoot = CertificateShape(
        subject: [
            country, NameAttribute("O", "Receipt Test Authority", isPrintable: true),
            NameAttribute("OU", "Receipt Test Certification Authority", isPrintable: true),
            NameAttribute("CN", "App Receipt Test Root CA", isPrintable: true),
        ],
        key: .rsa(bits: 2048), hash: .sha1, notBefore: start, notAfter: end, isCA: true,
        keyUsages: ["keyCertSign", "cRLSign"], rawExtensions: [policies],
        extensionNames: [
            "keyUsage", "basicConstraints", "subjectKeyIdentifier", "authorityKeyIdentifier", policies.oid,
        ])

    /// An intermediate of app receipts like that of Apple Worldwide Developer Relations, with Apple's marker extension.
    ///
    /// For ``AppReceiptAuthority/Form/xcode``, which has no intermediate, it is that of
    /// ``AppReceiptAuthority/Form/sha256``.
    public static func appReceiptIntermediate(_ form: AppReceiptAuthority.Form) -> CertificateShape {
        let isOld = form == .sha1
        let unit = NameAttribute("OU", isOld ? "Receipt Test Relations" : "T5")
        let name = NameAttribute("CN", "App Receipt Test Intermediate CA")
        return CertificateShape(
            subject: isOld ? [country, organization, unit, name] : [name, unit, organization, country],
            key: .rsa(bits: 2048), hash: isOld ? .sha1 : .sha256, notBefore: start, notAfter: end, isCA: true,
            pathLength: isOld ? nil : 0,
            keyUsages: (isOld ? ["digitalSignature"] : []) + ["keyCertSign", "cRLSign"],
            rawExtensions: [RawExtension(oid: MarkerOID.developerRelations)],
            extensionNames: isOld
                ? [
                    "keyUsage", "basicConstraints", "subjectKeyIdentifier", "authorityKeyIdentifier",
                    "crlDistributionPoints",
                ]
                : [
                    "basicConstraints", "authorityKeyIdentifier", "authorityInfoAccess", "crlDistributionPoints",
                    "subjectKeyIdentifier", "keyUsage",
                ],
            extensionValues: ["crlDistributionPoints": revocationList, "authorityInfoAccess": responder])
    }

    /// A leaf of app receipts like Apple's, with its marker extension.
    ///
    /// For ``AppReceiptAuthority/Form/xcode``, it is the single certificate.
    public static func appReceiptLeaf(_ form: AppReceiptAuthority.Form) -> CertificateShape {
        if form == .xcode { return xcodeReceipts }
        let isOld = form == .sha1
        return CertificateShape(
            subject: [
                NameAttribute("CN", "App Receipt Test Signing"), NameAttribute("OU", "Receipt Test Relations"),
                organization, country,
            ],
            key: .rsa(bits: 2048), hash: isOld ? .sha1 : .sha256, notBefore: start, notAfter: end, isCA: false,
            keyUsages: ["digitalSignature"],
            rawExtensions: [policies, RawExtension(oid: MarkerOID.receiptSigning)],
            extensionNames: isOld
                ? [
                    "basicConstraints", "authorityKeyIdentifier", "crlDistributionPoints", "keyUsage",
                    "subjectKeyIdentifier", policies.oid,
                ]
                : [
                    "basicConstraints", "authorityKeyIdentifier", "authorityInfoAccess", policies.oid,
                    "crlDistributionPoints", "subjectKeyIdentifier", "keyUsage",
                ],
            extensionValues: ["crlDistributionPoints": revocationList, "authorityInfoAccess": responder])
    }

    private static let xcodeReceipts = CertificateShape(
        subject: [
            NameAttribute("CN", "App Receipt Local Testing"), organization, NameAttribute("OU", "Local Testing"),
            country, NameAttribute("emailAddress", "tests@receipt-test.invalid"),
        ],
        key: .rsa(bits: 2048), hash: .sha256, notBefore: start, notAfter: end, isCA: true,
        keyUsages: ["digitalSignature", "keyCertSign"],
        extensionNames: ["basicConstraints", "keyUsage", "extendedKeyUsage"],
        extensionValues: ["extendedKeyUsage": "critical,codeSigning"])
}
