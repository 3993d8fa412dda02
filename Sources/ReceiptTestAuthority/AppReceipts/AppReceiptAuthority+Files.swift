public import ReceiptTypes
public import ReceiptVerification

// An authority on disk: a private file with its three keys, and its root. The other certificates follow from the keys.
extension AppReceiptAuthority {
    /// The name of the file of the keys, in the folder of a test authority.
    package static let keysFileName = "app-receipt-keys.pem"
    /// The name of the file of the root there, in DER.
    package static let rootFileName = "app-receipt-root.der"

    /// Reads the authority in a folder; the first use creates it there, and the folder if it does not exist.
    ///
    /// The file of the keys gets mode 0600.
    ///
    /// - Parameters:
    ///   - folder: The folder of the test authority.
    ///   - validity: The validity of the certificates that follow from the keys, as for a new authority.
    /// - Throws: `FileError`, with the code `encrypted-key` or `not-a-private-key` for keys that cannot be read,
    ///   `wrong-key-type` for keys that are no three RSA keys, and `mismatched` for a root with another key.
    public static func loadOrCreate(
        in folder: String, validity: ClosedRange<Timestamp>? = nil
    ) throws(FileError) -> AppReceiptAuthority {
        if let authority = try load(from: folder, validity: validity) { return authority }
        try PrivateFile.makeFolder(folder)
        let path = "\(folder)/\(keysFileName)"
        let pem: [UInt8]
        do throws(CryptoFault) {
            var text = ""
            let keys = try Keys.generate()
            for key in [keys.root, keys.intermediate, keys.leaf] {
                text += PEM.encode(try key.pkcs8(), label: "PRIVATE KEY")
            }
            pem = [UInt8](text.utf8)
        } catch {
            throw FileError(code: .outOfResources, path: path)
        }
        do throws(FileError) {
            try PrivateFile.create(path, pem)
        } catch {
            // Another process can have created the keys in the meantime; those in the file count.
            guard error.code == .exists else { throw error }
        }
        guard let authority = try load(from: folder, validity: validity) else {
            throw FileError(code: .unwritable, path: path)
        }
        return authority
    }

    /// Reads the authority in a folder; nil if there is none.
    ///
    /// A root that is missing is written again, the same as before.
    ///
    /// - Throws: `FileError`, as ``loadOrCreate(in:validity:)`` does.
    public static func load(
        from folder: String, validity: ClosedRange<Timestamp>? = nil
    ) throws(FileError) -> AppReceiptAuthority? {
        guard let keys = try keys(in: "\(folder)/\(keysFileName)") else { return nil }
        let path = "\(folder)/\(rootFileName)"
        let stored = try PrivateFile.readPublic(path, maximumCount: Budget.trustFileSize)
        let authority: AppReceiptAuthority
        let isMatching: Bool
        do throws(CryptoFault) {
            authority = try AppReceiptAuthority(keys: keys, rootCertificate: stored, validity: validity)
            let rootKey = try Certificate(der: authority.rootCertificate)?.publicKey()?.subjectPublicKeyInfo()
            isMatching = try rootKey == keys.root.publicKey().subjectPublicKeyInfo()
        } catch {
            throw FileError(code: .outOfResources, path: path)
        }
        guard isMatching else { throw FileError(code: .mismatched, path: path) }
        if stored == nil { try PrivateFile.replace(path, authority.rootCertificate) }
        return authority
    }

    private static func keys(in path: String) throws(FileError) -> Keys? {
        guard let text = try PrivateFile.read(path, maximumCount: Budget.trustFileSize) else { return nil }
        guard let blocks = try? PEM.blocks(in: text), !blocks.isEmpty else {
            throw FileError(code: .notAPrivateKey, path: path)
        }
        guard !blocks.contains(where: { $0.label.contains("ENCRYPTED") }) else {
            throw FileError(code: .encryptedKey, path: path)
        }
        let keys = blocks.compactMap { try? PrivateKey(pkcs8: $0.bytes) }
        guard keys.count == blocks.count else { throw FileError(code: .notAPrivateKey, path: path) }
        guard keys.count == 3, keys.allSatisfy({ (try? $0.publicKey().kind) == .rsa }) else {
            throw FileError(code: .wrongKeyType, path: path)
        }
        return Keys(root: keys[0], intermediate: keys[1], leaf: keys[2])
    }
}
