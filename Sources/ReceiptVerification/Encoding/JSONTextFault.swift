/// The reason why bytes were rejected as JSON, and its position.
package struct JSONTextFault: Error, Hashable {
    /// The kind of problem.
    package enum Problem: Hashable {
        /// The bytes are not JSON.
        case syntax
        /// There is a byte order mark at the beginning.
        case byteOrderMark
        /// The bytes are not UTF-8.
        case utf8
        /// There is a NUL character.
        case nul
        /// An object has duplicate keys.
        case duplicateKey
        /// Arrays and objects are nested too deeply.
        case tooDeep
        /// A number is out of range.
        case numberRange
        /// An allocation failed.
        case outOfMemory
    }

    /// The kind of problem.
    package var problem: Problem
    /// The offset in bytes at which the parser detected the problem.
    ///
    /// It is after the problem, except for `tooDeep`.
    package var offset: Int
}

extension JSONTextFault {
    init(_ fault: JSONDocument.Fault) {
        offset = fault.offset
        problem =
            switch fault.problem {
            case .syntax: .syntax
            case .byteOrderMark: .byteOrderMark
            case .utf8: .utf8
            case .nul: .nul
            case .duplicateKey, .duplicateAlgorithm: .duplicateKey
            case .tooDeep: .tooDeep
            case .numberRange: .numberRange
            case .outOfMemory: .outOfMemory
            }
    }
}
