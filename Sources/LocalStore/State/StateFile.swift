internal import ReceiptTypes
internal import ReceiptVerification

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The file format of a ``SimulatorState``: one line with name, version and digest, followed by JSON.
///
/// The digest detects a damaged or edited file. A simulator that continued from such a state would sign transactions
/// that never happened.
public enum StateFile {
    /// The version that ``write(_:to:)`` writes.
    public static let version = 1

    private static let name = "local-store-state"
    /// The maximum size in bytes, far above that of a simulated year of a thousand customers.
    private static let maximumSize = 1_073_741_824

    /// Reads a state file, and returns nil where the file does not exist.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unreadable-state`, `damaged-state` or `newer-state`.
    public static func read(_ path: String) throws(StoreSimulatorError) -> SimulatorState? {
        let bytes: [UInt8]?
        do {
            bytes = try PrivateFile.read(path, maximumCount: maximumSize)
        } catch {
            throw StoreSimulatorError(.unreadableState, error.message, underlying: error)
        }
        guard let bytes else { return nil }
        do throws(StoreSimulatorError) {
            return try decode(bytes)
        } catch {
            throw StoreSimulatorError(error.code, "\(path): \(error.message)", underlying: error.underlying)
        }
    }

    /// Writes a state file with the mode 0600, atomically replacing an existing one.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`.
    public static func write(_ state: SimulatorState, to path: String) throws(StoreSimulatorError) {
        let bytes = try encode(state)
        do {
            try PrivateFile.replace(path, bytes)
        } catch {
            throw StoreSimulatorError(.unwritableState, error.message, underlying: error)
        }
    }

    /// Returns the content of a state file; equal states have equal bytes.
    static func encode(_ state: SimulatorState) throws(StoreSimulatorError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let body = [UInt8](try encoder.encode(state))
            let digest = try SHA256Digest.of(bytes: body)
            return [UInt8]("\(name) \(version) \(digest)\n".utf8) + body + [UInt8(ascii: "\n")]
        } catch {
            throw StoreSimulatorError(.unwritableState, "the state cannot be encoded", underlying: error)
        }
    }

    /// Returns the state in the content of a state file.
    static func decode(_ bytes: [UInt8]) throws(StoreSimulatorError) -> SimulatorState {
        let digest = try body(of: bytes)
        let body = [UInt8](bytes.dropFirst(digest.headerCount).dropLast())
        do {
            guard bytes.last == UInt8(ascii: "\n"), try SHA256Digest.of(bytes: body).description == digest.text else {
                throw StoreSimulatorError(.damagedState, "the content does not match its digest")
            }
            let state = try JSONDecoder().decode(SimulatorState.self, from: Data(body))
            if let inconsistency = state.inconsistency { throw StoreSimulatorError(.damagedState, inconsistency) }
            return state
        } catch let error as StoreSimulatorError {
            throw error
        } catch {
            throw StoreSimulatorError(
                .damagedState, "the content is not the state of a store simulator", underlying: error)
        }
    }

    private static func body(of bytes: [UInt8]) throws(StoreSimulatorError) -> (text: String, headerCount: Int) {
        // The name, a version of at most nine digits, and the digest in hexadecimal.
        let limit = name.utf8.count + 1 + 9 + 1 + 2 * SHA256Digest.count
        guard let end = bytes.prefix(limit + 1).firstIndex(of: UInt8(ascii: "\n")) else {
            throw StoreSimulatorError(.damagedState, "the file is not a state file of a store simulator")
        }
        let words = bytes[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, words[0].isIdentical(to: name), let number = Int(words[1]),
            "\(number)".isIdentical(to: words[1]), number > 0
        else {
            throw StoreSimulatorError(.damagedState, "the file is not a state file of a store simulator")
        }
        guard number <= version else {
            throw StoreSimulatorError(
                .newerState, "the state has version \(number); this version reads only version \(version)")
        }
        return (words[2], end + 1)
    }
}
