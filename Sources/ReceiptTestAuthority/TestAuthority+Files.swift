public import ReceiptVerification

// An authority on disk: a folder with its certificates, and its private keys in files of mode 0600. No description and
// no message contains a key.
extension TestAuthority {
    private enum FileName {
        static let rootDER = "root.der"
        static let rootPEM = "root.pem"
        static let intermediate = "intermediate.der"
        static let leaf = "leaf.der"
        static let rootKey = "root-key.pem"
        static let intermediateKey = "intermediate-key.pem"
        static let leafKey = "leaf-key.pem"
    }

    /// The names of the files in an authority's folder.
    package static let fileNames = [
        FileName.rootDER, FileName.rootPEM, FileName.intermediate, FileName.leaf, FileName.rootKey,
        FileName.intermediateKey, FileName.leafKey,
    ]

    /// Reads an authority from a folder that ``write(to:overwriting:)`` wrote; nil if there is none.
    ///
    /// The keys can be of any unencrypted form in PEM that OpenSSL writes: PKCS#8, SEC1 or PKCS#1.
    ///
    /// - Throws: `FileError`, with the code `mismatched` for a certificate that does not belong to the key beside it or
    ///   that the next certificate has not issued. Its receipts would never verify. The codes of unusable keys are
    ///   `encrypted-key`, `not-a-private-key` and, for a leaf whose key is not a P-256 key, `wrong-key-type`.
    public static func load(from folder: String) throws(FileError) -> TestAuthority? {
        guard let rootKey = try key(FileName.rootKey, in: folder) else { return nil }
        guard let intermediateKey = try key(FileName.intermediateKey, in: folder),
            let leafKey = try key(FileName.leafKey, in: folder),
            let root = try certificate(FileName.rootDER, in: folder),
            let intermediate = try certificate(FileName.intermediate, in: folder),
            let leaf = try certificate(FileName.leaf, in: folder)
        else { throw FileError(code: .unreadable, path: folder) }
        let links = [
            (FileName.rootDER, root, rootKey, issuer: root),
            (FileName.intermediate, intermediate, intermediateKey, issuer: root),
            (FileName.leaf, leaf, leafKey, issuer: intermediate),
        ]
        for (name, certificate, key, issuer) in links {
            guard try matches(certificate, key, issuer, in: folder) else {
                throw FileError(code: .mismatched, path: "\(folder)/\(name)")
            }
        }
        guard leafKey.isP256 else {
            throw FileError(code: .wrongKeyType, path: "\(folder)/\(FileName.leafKey)")
        }
        return TestAuthority(
            rootKey, root.der, intermediateKey, intermediate.der, CertificateShape.name(intermediate.subject),
            TestSigner(key: leafKey, chain: [leaf.der, intermediate.der, root.der])
        )
    }

    /// Reads the authority in a folder; the first use creates it there.
    ///
    /// Of several processes whose first use is at the same time, all get the authority of one of them.
    package static func loadOrCreate(in folder: String, _ make: () throws -> TestAuthority) throws -> TestAuthority {
        if let authority = try load(from: folder) { return authority }
        let authority = try make()
        do throws(FileError) {
            try authority.write(to: folder)
            return authority
        } catch {
            // Another process can have created the authority in the meantime.
            guard error.code == .exists, let other = try load(from: folder) else { throw error }
            return other
        }
    }

    /// Writes the certificates and the keys to a folder, which is created if necessary; the keys get mode 0600.
    ///
    /// Other processes that write an authority there wait until this one is complete.
    ///
    /// - Throws: `FileError`, with the code `exists` when one of the files exists and `overwriting` is false; then no
    ///   file is written.
    public func write(to folder: String, overwriting: Bool = false) throws(FileError) {
        try PrivateFile.makeFolder(folder)
        var files = [
            (FileName.rootDER, rootCertificate), (FileName.rootPEM, [UInt8](rootCertificatePEM.utf8)),
            (FileName.intermediate, intermediateCertificate), (FileName.leaf, signer.chain.first ?? []),
        ]
        let keys = [
            (FileName.leafKey, signer.key), (FileName.intermediateKey, intermediateKey), (FileName.rootKey, rootKey),
        ]
        for (name, key) in keys {
            guard let der = try? key.pkcs8() else { throw FileError(code: .outOfResources, path: folder) }
            files.append((name, [UInt8](PEM.encode(der, label: "PRIVATE KEY").utf8)))
        }
        try FolderLock.whileLocked(folder) { () throws(FileError) in
            if !overwriting {
                // Every file counts: even without the root's key, the rest may be the only copy of a trusted authority.
                for (name, _) in files where try PrivateFile.exists("\(folder)/\(name)") {
                    throw FileError(code: .exists, path: "\(folder)/\(name)")
                }
            }
            // The root's key is the last: without it there is no authority to load.
            for (name, bytes) in files { try PrivateFile.replace("\(folder)/\(name)", bytes) }
        }
    }

    private static func matches(
        _ certificate: Certificate, _ key: PrivateKey, _ issuer: Certificate, in folder: String
    ) throws(FileError) -> Bool {
        do throws(CryptoFault) {
            guard let publicKey = try certificate.publicKey(),
                try publicKey.subjectPublicKeyInfo() == key.publicKey().subjectPublicKeyInfo(),
                certificate.namesIssuer(issuer)
            else { return false }
            return try certificate.isSigned(by: issuer)
        } catch {
            throw FileError(code: .outOfResources, path: folder)
        }
    }

    private static func certificate(_ name: String, in folder: String) throws(FileError) -> Certificate? {
        let path = "\(folder)/\(name)"
        guard let der = try PrivateFile.readPublic(path, maximumCount: Budget.trustFileSize) else { return nil }
        do throws(CryptoFault) {
            if let certificate = try Certificate(der: der) { return certificate }
        } catch {
            throw FileError(code: .outOfResources, path: path)
        }
        throw FileError(code: .unreadable, path: path)
    }

    private static func key(_ name: String, in folder: String) throws(FileError) -> PrivateKey? {
        try PrivateKey.load(from: "\(folder)/\(name)")
    }
}
