internal import CommandLineInterface
internal import ReceiptVerification

extension Redaction {
    /// The largest key file in bytes.
    private static let maximumKeySize = 65_536

    /// Reads the redaction of `--redact` and `--redact-key`; nil if neither is given.
    static func chosen(_ arguments: Arguments) throws(UsageError) -> Redaction? {
        if let path = arguments.value(of: .redactKey) { return try Redaction(keyFile: path) }
        guard arguments.has(.redact) else { return nil }
        do throws(CryptoFault) {
            return try random()
        } catch {
            throw UsageError("there is no random key for --redact: \(error.message)")
        }
    }

    /// Reads a key, which a line break can follow.
    private init(keyFile path: String) throws(UsageError) {
        let hint = "make a key with: (umask 077; openssl rand -hex \(Self.minimumKeyCount) > FILE)"
        let content: [UInt8]?
        do throws(FileError) {
            content = try PrivateFile.read(path, maximumCount: Self.maximumKeySize, allowsPipe: true)
        } catch {
            throw UsageError("the key of --redact-key cannot be used: \(error.message)", hint: Escaped(hint))
        }
        guard var key = content else { throw UsageError("no such file: \(path)", hint: Escaped(hint)) }
        while let last = key.last, last == 0x0A || last == 0x0D { key.removeLast() }
        guard let redaction = Redaction(key: key) else {
            throw UsageError(
                "\(path) has fewer than \(Self.minimumKeyCount) bytes, which is too short for a key",
                hint: Escaped(hint))
        }
        self = redaction
    }
}
