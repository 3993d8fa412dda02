/// Reads decisions out of bytes that a fuzzer has made. Where the bytes end, every decision is the first one: zero, false,
/// nothing. So a short input means something simple, and a longer one something more elaborate.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = ArraySlice([UInt8](bytes))
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// True for odd bytes.
    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// A number below `limit`, which is 1 to 256.
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    /// A number of 64 bits, in as many bytes.
    mutating func word() -> UInt64 {
        (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) }
    }

    /// One of some elements.
    mutating func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

    /// Exactly so many bytes, the missing ones zero.
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// A length of one byte and that many bytes, as far as there are any.
    mutating func run() -> [UInt8] {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return [UInt8](rest.prefix(count))
    }

    /// All that is left.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return [UInt8](rest)
    }
}

/// Cuts an input into sections at the byte FF, which no UTF-8 text has: inserting, deleting and copying of bytes leaves
/// the sections around them in their places.
struct Sections {
    static let separator: UInt8 = 0xFF
    private let parts: [[UInt8]]

    init(_ input: [UInt8]) {
        parts = input.split(separator: Self.separator, omittingEmptySubsequences: false).map { [UInt8]($0) }
    }

    /// The section of that number; empty where there is none.
    subscript(index: Int) -> [UInt8] { index < parts.count ? parts[index] : [] }

    /// The input that has these sections.
    static func join(_ parts: [[UInt8]]) -> [UInt8] { [UInt8](parts.joined(separator: [separator])) }

    static func join(_ controls: [UInt8], _ texts: String...) -> [UInt8] {
        join([controls] + texts.map { [UInt8]($0.utf8) })
    }
}
