internal import CReceiptCrypto
package import ReceiptTypes

/// The owner of the C document.
@safe
private struct JSONHandle: ~Copyable {
    let raw: OpaquePointer

    deinit { unsafe rc_json_free(raw) }
}

/// A parsed JSON document.
///
/// It is a class so that the copies of a checked receipt share it.
package final class JSONDocument {
    /// The reason why bytes were rejected as JSON.
    package struct Fault: Error, Hashable {
        package enum Problem: Hashable {
            case syntax
            case byteOrderMark
            case utf8
            case nul
            case duplicateKey
            /// An object has the key `alg` twice.
            case duplicateAlgorithm
            case tooDeep
            case numberRange
            case outOfMemory
        }

        package var problem: Problem
        /// The offset in bytes at which the parser detected the problem.
        package var offset: Int

        /// The problem as the `actual` text of a check.
        var found: String {
            switch problem {
            case .syntax: "not JSON, near byte \(offset)"
            case .byteOrderMark: "a byte order mark"
            case .utf8: "bytes that are not UTF-8, near byte \(offset)"
            case .nul: "a NUL character, near byte \(offset)"
            case .duplicateKey: "a duplicate key in an object, near byte \(offset)"
            case .duplicateAlgorithm: "a duplicate alg"
            case .tooDeep: "arrays or objects nested too deeply, at byte \(offset)"
            case .numberRange: "a number out of range, near byte \(offset)"
            case .outOfMemory: "out of memory"
            }
        }
    }

    private let handle: JSONHandle
    /// Whether an object may have had a key more than once.
    let allowsDuplicates: Bool

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - maximumDepth: The deepest nesting, which counts the outermost array or object as 1.
    ///   - allowsDuplicates: Whether an object may have a key more than once; then the last one counts.
    init(parsing text: RawSpan, maximumDepth: Int, allowsDuplicates: Bool = false) throws(Fault) {
        var pointer: OpaquePointer?
        var fault = rc_json_fault()
        let status = unsafe text.withPointer { (bytes, count) in
            unsafe rc_json_parse(bytes, count, maximumDepth, allowsDuplicates, &pointer, &fault)
        }
        guard status == .RC_OK, let pointer = unsafe pointer else {
            throw Fault(problem: .init(fault, status), offset: fault.offset)
        }
        handle = unsafe JSONHandle(raw: pointer)
        self.allowsDuplicates = allowsDuplicates
    }

    var root: JSONNode {
        @_lifetime(borrow self)
        get {
            // Safe: a parsed document has a root.
            let node = unsafe JSONNode(raw: rc_json_root(handle.raw))
            return unsafe _overrideLifetime(node, borrowing: self)
        }
    }
}

extension JSONDocument.Fault.Problem {
    init(_ fault: rc_json_fault, _ status: rc_status) {
        if status == .RC_NO_MEMORY {
            self = .outOfMemory
            return
        }
        switch fault.problem {
        case .RC_JSON_PROBLEM_BYTE_ORDER_MARK: self = .byteOrderMark
        case .RC_JSON_PROBLEM_UTF8: self = .utf8
        case .RC_JSON_PROBLEM_NUL: self = .nul
        case .RC_JSON_PROBLEM_DUPLICATE_KEY: self = fault.is_about_alg ? .duplicateAlgorithm : .duplicateKey
        case .RC_JSON_PROBLEM_TOO_DEEP: self = .tooDeep
        case .RC_JSON_PROBLEM_NUMBER_RANGE: self = .numberRange
        case .RC_JSON_PROBLEM_NONE, .RC_JSON_PROBLEM_SYNTAX: self = .syntax
        }
    }
}

extension JSONDocument {
    /// Parses a document, or returns the reason why it was rejected.
    ///
    /// Throws only if an allocation fails.
    static func read(_ text: RawSpan, maximumDepth: Int) throws(CryptoFault) -> Result<JSONDocument, Fault> {
        do throws(Fault) {
            return .success(try JSONDocument(parsing: text, maximumDepth: maximumDepth))
        } catch {
            if error.problem == .outOfMemory { throw .outOfMemory }
            return .failure(error)
        }
    }

    /// Parses a document and returns it as a tree.
    ///
    /// `maximumDepth` counts the outermost array or object as 1.
    package static func value(of text: [UInt8], maximumDepth: Int = 64) throws(Fault) -> JSONValue {
        try text.withRawSpan { (span) throws(Fault) in
            let document = try JSONDocument(parsing: span, maximumDepth: maximumDepth)
            return document.root.value
        }
    }
}
