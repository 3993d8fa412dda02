// A test authority at rest: a folder with its certificates, and its private keys in files that only their owner may
// read. The keys are in no description and no message.
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

    /// Reads an authority from a folder that ``write(to:overwriting:)`` has filled; nil where there is none.
    public static func load(from folder: String) throws(FileError) -> TestAuthority? {
        guard let rootKey = try key(FileName.rootKey, in: folder) else { return nil }
        guard let intermediateKey = try key(FileName.intermediateKey, in: folder),
            let leafKey = try key(FileName.leafKey, in: folder),
            let root = try PrivateFile.readPublic("\(folder)/\(FileName.rootDER)"),
            let intermediate = try PrivateFile.readPublic("\(folder)/\(FileName.intermediate)"),
            let leaf = try PrivateFile.readPublic("\(folder)/\(FileName.leaf)"),
            let certificate = try? Certificate(der: intermediate)
        else { throw FileError(code: .unreadable, path: folder) }
        return TestAuthority(
            rootKey, root, intermediateKey, intermediate, certificate.subject,
            TestSigner(key: leafKey, chain: [leaf, intermediate, root])
        )
    }

    /// Writes everything into a folder, which is made where there is none; keys get the mode 0600.
    ///
    /// - Throws: ``FileError``, with the code `exists` when there is an authority already and `overwriting` is false.
    public func write(to folder: String, overwriting: Bool = false) throws(FileError) {
        try PrivateFile.makeFolder(folder)
        let certificates = [
            (FileName.rootDER, rootCertificate), (FileName.rootPEM, [UInt8](rootCertificatePEM.utf8)),
            (FileName.intermediate, intermediateCertificate), (FileName.leaf, signer.chain.first ?? []),
        ]
        let keys = [
            (FileName.leafKey, signer.key), (FileName.intermediateKey, intermediateKey), (FileName.rootKey, rootKey),
        ]
        if !overwriting, try PrivateFile.exists("\(folder)/\(FileName.rootKey)") {
            throw FileError(code: .exists, path: "\(folder)/\(FileName.rootKey)")
        }
        for (name, bytes) in certificates { try PrivateFile.replace("\(folder)/\(name)", bytes) }
        for (name, key) in keys {
            guard let der = try? key.pkcs8() else { throw FileError(code: .outOfResources, path: folder) }
            try PrivateFile.replace("\(folder)/\(name)", [UInt8](PEM.encode(der, label: "PRIVATE KEY").utf8))
        }
    }

    private static func key(_ name: String, in folder: String) throws(FileError) -> PrivateKey? {
        let path = "\(folder)/\(name)"
        guard let text = try PrivateFile.read(path, maximumCount: Budget.trustFileSize) else { return nil }
        guard let block = try? PEM.blocks(in: text).first, block.label == "PRIVATE KEY",
            let key = try? PrivateKey(pkcs8: block.bytes)
        else { throw FileError(code: .unreadable, path: path) }
        return key
    }
}
