internal import ReceiptVerification

extension PrivateKey {
    /// Reads a key in PEM from a file that only its owner may read; nil where the file does not exist.
    static func load(from path: String) throws(FileError) -> PrivateKey? {
        guard let text = try PrivateFile.read(path, maximumCount: Budget.trustFileSize) else { return nil }
        do throws(PEMProblem) {
            return try PrivateKey(pem: text)
        } catch {
            let code: FileError.Code =
                switch error {
                case .encrypted: .encryptedKey
                case .malformed: .notAPrivateKey
                case .fault: .outOfResources
                }
            throw FileError(code: code, path: path)
        }
    }

    /// Whether ES256 can sign with this key.
    var isP256: Bool { (try? publicKey().kind) == .p256 }
}
