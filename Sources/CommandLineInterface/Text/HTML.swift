/// Markup. A literal is markup as it stands; a text that is put into it is escaped.
///
/// With `let row: HTML = "<li>\(product.displayName)</li>"`, a name with `<` in it shows as it is.
package struct HTML: ExpressibleByStringInterpolation, Sendable, Equatable {
    package let text: String

    package init(stringLiteral markup: String) { text = markup }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package static let empty: HTML = ""

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ markup: String) { text += markup }

        /// Adds a text, such as the value of an attribute.
        package mutating func appendInterpolation(_ plain: String) { text += HTML.escaped(plain) }

        package mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        /// Adds an attribute without a value, or nothing.
        package mutating func appendInterpolation(_ attribute: StaticString, if isSet: Bool) {
            if isSet { text += " \(attribute)" }
        }
    }

    /// Returns text whose characters have no meaning in HTML. Anyone can have written the texts.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
