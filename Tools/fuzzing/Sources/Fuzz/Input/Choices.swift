/// Reads decisions from the fuzzer's bytes. At the end of the bytes every decision is the first one: zero, false,
/// empty. So a short input stands for a simple case.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = ArraySlice([UInt8](bytes))
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns true for an odd byte.
    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// Returns a number below `limit`, which is 1 to 256.
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    /// Returns a 64-bit number, read from eight bytes.
    mutating func word() -> UInt64 {
        (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) }
    }

    /// Returns one of the elements.
    mutating func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

    /// Returns this number of bytes, padded with zeros at the end of the input.
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// Reads a length of one byte and returns that many bytes, or fewer at the end of the input.
    mutating func run() -> [UInt8] {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return [UInt8](rest.prefix(count))
    }

    /// Returns all remaining bytes.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return [UInt8](rest)
    }
}

/// Splits an input into sections at the byte FF, which UTF-8 never contains: when the fuzzer inserts or deletes bytes
/// in one section, the others stay in place.
struct Sections {
    static let separator: UInt8 = 0xFF
    private let parts: [[UInt8]]

    init(_ input: [UInt8]) {
        parts = input.split(separator: Self.separator, omittingEmptySubsequences: false).map { [UInt8]($0) }
    }

    /// The section at an index; empty if there is none.
    subscript(index: Int) -> [UInt8] { index < parts.count ? parts[index] : [] }

    /// Returns the input with these sections.
    static func join(_ parts: [[UInt8]]) -> [UInt8] { [UInt8](parts.joined(separator: [separator])) }

    static func join(_ controls: [UInt8], _ texts: String...) -> [UInt8] {
        join([controls] + texts.map { [UInt8]($0.utf8) })
    }
}
