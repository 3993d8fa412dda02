// A Play key at rest: one file that only its owner may read.
extension TestPlayKey {
    /// Reads a key from a file that ``write(to:)`` has made; nil where there is none.
    public static func load(from path: String) throws(FileError) -> TestPlayKey? {
        guard let text = try PrivateFile.read(path, maximumCount: Budget.trustFileSize) else { return nil }
        guard let block = try? PEM.blocks(in: text).first, block.label == "PRIVATE KEY",
            let key = try? PrivateKey(pkcs8: block.bytes), let publicKey = try? key.publicKey(), publicKey.kind == .rsa,
            let playKey = try? TestPlayKey(key: key)
        else { throw FileError(code: .unreadable, path: path) }
        return playKey
    }

    /// Writes the key into a new file with the mode 0600.
    ///
    /// - Throws: ``FileError``, with the code `exists` when there is such a file already.
    public func write(to path: String) throws(FileError) {
        guard let der = try? key.pkcs8() else { throw FileError(code: .outOfResources, path: path) }
        try PrivateFile.create(path, [UInt8](PEM.encode(der, label: "PRIVATE KEY").utf8))
    }
}
