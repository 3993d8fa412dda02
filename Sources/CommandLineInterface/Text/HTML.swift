/// Markup. A literal is markup as it stands; a text that is put into it is escaped.
///
/// With `let row: HTML = "<li>\(product.displayName)</li>"`, a name with `<` in it shows as it is.
struct HTML: ExpressibleByStringInterpolation, Sendable, Equatable {
    let text: String

    init(stringLiteral markup: String) { text = markup }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    static let empty: HTML = ""

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ markup: String) { text += markup }

        /// Adds a text, such as the value of an attribute.
        mutating func appendInterpolation(_ plain: String) { text += HTML.escaped(plain) }

        mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        /// Adds an attribute without a value, or nothing.
        mutating func appendInterpolation(_ attribute: StaticString, if isSet: Bool) {
            if isSet { text += " \(attribute)" }
        }
    }

    /// Returns text whose characters have no meaning in HTML. The texts come from a file that anyone can have written.
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
