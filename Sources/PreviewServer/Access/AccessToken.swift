/// A random text that only the pages of this run of the server know.
package struct AccessToken: Sendable {
    /// 32 hexadecimal digits.
    package let text: String

    package init(using generator: inout some RandomNumberGenerator) {
        text = Self.digits(of: generator.next()) + Self.digits(of: generator.next())
    }

    /// Returns whether a text is the token, in a time that does not depend on where they differ.
    package func matches(_ other: String) -> Bool {
        let expected = text.utf8
        let found = other.utf8
        guard expected.count == found.count else { return false }
        return zip(expected, found).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    static func digits(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
