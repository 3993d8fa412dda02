internal import ReceiptTypes

/// A text as a key, compared byte by byte: Swift also takes texts for equal that only look the same.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: Self, right: Self) -> Bool { left.text.isIdentical(to: right.text) }

    // What is the same bytes also has the same hash.
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
