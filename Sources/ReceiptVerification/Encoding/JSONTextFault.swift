/// Why a text is no JSON that is read here, and where.
package struct JSONTextFault: Error, Hashable {
    /// What is wrong.
    package enum Problem: Hashable {
        /// Not JSON.
        case syntax
        /// A byte order mark at the beginning.
        case byteOrderMark
        /// Bytes that are no UTF-8.
        case utf8
        /// A NUL character.
        case nul
        /// A key twice in one object.
        case duplicateKey
        /// Arrays and objects that are nested too deep.
        case tooDeep
        /// A number that does not fit.
        case numberRange
        /// The machine had no memory.
        case outOfMemory
    }

    /// What is wrong.
    package var problem: Problem
    /// Where the parser stood when it noticed, in bytes: behind what is wrong, for all but brackets that go too deep.
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
