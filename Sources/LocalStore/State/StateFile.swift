internal import ReceiptTypes
internal import ReceiptVerification

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The file that a local store keeps its state in: one line that names format, version and digest, then JSON.
///
/// The digest tells a file that was damaged or edited from one that was written here: a store that went on from a changed
/// state would sign what never happened.
public enum StateFile {
    /// The version that is written.
    public static let version = 1

    private static let name = "local-store-state"
    /// Far more than a simulated year of a thousand customers.
    private static let maximumSize = 1_073_741_824

    /// Reads a state; nil where there is no file.
    public static func read(_ path: String) throws(LocalStoreError) -> LocalStoreState? {
        let bytes: [UInt8]?
        do {
            bytes = try PrivateFile.read(path, maximumCount: maximumSize)
        } catch {
            throw LocalStoreError(.unreadableState, error.message, underlying: error)
        }
        guard let bytes else { return nil }
        do throws(LocalStoreError) {
            return try decode(bytes)
        } catch {
            throw LocalStoreError(error.code, "\(path): \(error.message)", underlying: error.underlying)
        }
    }

    /// Writes a state in the place of what is there, which no reader ever sees in part; the file gets the mode 0600.
    public static func write(_ state: LocalStoreState, to path: String) throws(LocalStoreError) {
        let bytes = try encode(state)
        do {
            try PrivateFile.replace(path, bytes)
        } catch {
            throw LocalStoreError(.unwritableState, error.message, underlying: error)
        }
    }

    /// The bytes of a state; the same state gives the same bytes.
    static func encode(_ state: LocalStoreState) throws(LocalStoreError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let body = [UInt8](try encoder.encode(state))
            let digest = try SHA256Digest.of(bytes: body)
            return [UInt8]("\(name) \(version) \(digest)\n".utf8) + body + [UInt8(ascii: "\n")]
        } catch {
            throw LocalStoreError(.unwritableState, "the state cannot be encoded", underlying: error)
        }
    }

    /// The state in some bytes.
    static func decode(_ bytes: [UInt8]) throws(LocalStoreError) -> LocalStoreState {
        let digest = try body(of: bytes)
        let body = [UInt8](bytes.dropFirst(digest.headerCount).dropLast())
        do {
            guard bytes.last == UInt8(ascii: "\n"), try SHA256Digest.of(bytes: body).description == digest.text else {
                throw LocalStoreError(.damagedState, "the content is not what was written")
            }
            let state = try JSONDecoder().decode(LocalStoreState.self, from: Data(body))
            if let flaw = state.flaw { throw LocalStoreError(.damagedState, flaw) }
            return state
        } catch let error as LocalStoreError {
            throw error
        } catch {
            throw LocalStoreError(.damagedState, "the content is no state of a local store", underlying: error)
        }
    }

    private static func body(of bytes: [UInt8]) throws(LocalStoreError) -> (text: String, headerCount: Int) {
        // The name, a version of up to nine digits, and the digest.
        let limit = name.utf8.count + 1 + 9 + 1 + 2 * SHA256Digest.count
        guard let end = bytes.prefix(limit + 1).firstIndex(of: UInt8(ascii: "\n")) else {
            throw LocalStoreError(.damagedState, "the file is no state of a local store")
        }
        let words = bytes[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, words[0].isIdentical(to: name), let number = Int(words[1]),
            "\(number)".isIdentical(to: words[1]), number > 0
        else {
            throw LocalStoreError(.damagedState, "the file is no state of a local store")
        }
        guard number <= version else {
            throw LocalStoreError(.newerState, "the state has version \(number), and only \(version) is known here")
        }
        return (words[2], end + 1)
    }
}
