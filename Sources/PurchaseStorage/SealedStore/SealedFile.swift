internal import PurchaseCore
internal import ReceiptVerification

/// The format of the files of a sealed store, version 1. Numbers are big-endian.
///
/// | bytes | content |
/// | --- | --- |
/// | 8 | `RVSEALED` |
/// | 1 | format, 1 |
/// | 1 | kind: 1 value, 2 manifest, 4 counter |
/// | 8 | the first bytes of the SHA-256 of the key |
/// | 8 | version: the number of the file, which no earlier file of the folder has |
/// | 8 | the number of sealed bytes, without the tag |
/// | 12 | nonce, random for each write |
/// | … | the value or the manifest, encrypted with AES-256-GCM |
/// | 16 | tag over all bytes before it and the name of the value |
struct SealedFile {
    /// What a file contains; two kinds differ in two bits.
    enum Kind: UInt8 {
        case value = 1
        case manifest = 2
        case counter = 4
    }

    private static let magic = [UInt8]("RVSEALED".utf8)
    private static let format: UInt8 = 1
    private static let headerCount = magic.count + 2 + SealingKey.identifierCount + 16 + Seal.nonceCount
    /// The number of bytes that a file has in addition to what is sealed in it.
    static let overhead = headerCount + Seal.tagCount

    let kind: Kind
    let version: UInt64
    /// The identifier of the key.
    let key: [UInt8]
    private let bytes: [UInt8]

    /// The last bytes of the file, which authenticate all of it.
    var tag: [UInt8] { bytes.suffix(Seal.tagCount) }

    /// Reads the header of a file.
    ///
    /// Nothing of it is authentic before ``open(_:with:)`` has returned a result.
    init(_ bytes: [UInt8], path: String) throws(SealedStoreError) {
        guard Self.magic.starts(with: bytes.prefix(Self.magic.count)) else {
            throw SealedStoreError(.damaged, "\(path) is not a file of a sealed store")
        }
        let truncated = SealedStoreError(.truncated, "\(path) ends too early")
        guard bytes.count >= Self.overhead else { throw truncated }
        var reader = ByteReader(bytes.dropFirst(Self.magic.count))
        guard let format = reader.byte(), let kind = reader.byte(),
            let key = reader.bytes(SealingKey.identifierCount), let version = reader.number(),
            let count = reader.number()
        else { throw truncated }
        guard format <= Self.format else {
            throw SealedStoreError(
                .newerFormat, "\(path) has the format \(format), and this version knows \(Self.format)")
        }
        let present = UInt64(bytes.count - Self.overhead)
        guard count <= present else { throw truncated }
        guard format == Self.format, let kind = Kind(rawValue: kind), count == present else {
            throw SealedStoreError(.damaged, "\(path) was changed after it was sealed")
        }
        self.kind = kind
        self.version = version
        self.key = key
        self.bytes = bytes
    }

    /// Returns the bytes that are sealed in the file; nil if the file or the name is not authentic.
    func open(_ name: [UInt8] = [], with key: SealingKey) throws(SealedStoreError) -> [UInt8]? {
        let header = bytes.prefix(Self.headerCount)
        do throws(CryptoFault) {
            return try Seal.open(
                [UInt8](bytes.dropFirst(Self.headerCount)), associated: [UInt8](header) + name, key: key.bytes,
                nonce: [UInt8](header.suffix(Seal.nonceCount)))
        } catch {
            throw SealedStoreError(error)
        }
    }

    /// Returns a file that contains the bytes, under a new random nonce.
    static func seal(
        _ plaintext: [UInt8], _ kind: Kind, version: UInt64, name: [UInt8] = [], with key: SealingKey
    ) throws(SealedStoreError) -> [UInt8] {
        do throws(CryptoFault) {
            var header = magic + [format, kind.rawValue] + (try key.identifier())
            header.appendNumber(version)
            header.appendNumber(UInt64(plaintext.count))
            let nonce = try OpenSSL.randomBytes(Seal.nonceCount)
            header += nonce
            return header + (try Seal.seal(plaintext, associated: header + name, key: key.bytes, nonce: nonce))
        } catch {
            throw SealedStoreError(error)
        }
    }

    /// Returns the tag of a file that ``seal(_:_:version:name:with:)`` has returned.
    static func tag(of file: [UInt8]) -> [UInt8] { file.suffix(Seal.tagCount) }
}

/// Takes numbers and bytes from the start of a sequence of bytes, never more than it has.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return [UInt8](rest.prefix(count))
    }

    /// A number of 8 bytes.
    mutating func number() -> UInt64? {
        bytes(8)?.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension [UInt8] {
    /// Appends a number of 8 bytes.
    mutating func appendNumber(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
