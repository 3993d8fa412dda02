package import ReceiptTypes

/// A string that is compared byte by byte, for use as a dictionary key.
///
/// Swift treats canonically equivalent strings as equal, but identifiers that differ in one byte are different.
package struct ExactString: Hashable, Sendable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package static func == (left: Self, right: Self) -> Bool { left.string.isIdentical(to: right.string) }

    // Strings of the same bytes have the same hash. Equivalent strings collide, which costs one comparison.
    package func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension String {
    /// Returns whether the UTF-8 bytes of this string sort before those of another.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension UUIDText {
    /// The UUID in lower case, as the App Store writes it; a value that is not a UUID stays unchanged.
    package var lowercased: UUIDText { isUUID ? UUIDText(rawValue.lowercased()) : self }
}
