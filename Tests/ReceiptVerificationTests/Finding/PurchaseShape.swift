import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// A way in which the data of a Google Play purchase and its signature are sent or printed together.
struct PurchaseShape: Sendable, CustomTestStringConvertible {
    /// A purchase, and the names that a library gives its parts.
    struct Parts: Sendable {
        let data: String
        let signature: String
        var names = ("data", "signature")

        /// The purchase as one JSON object.
        var object: String {
            "{\(quoted(names.0)): \(quoted(data)), \(quoted(names.1)): \(quoted(signature))}"
        }
        var form: String {
            "\(names.0)=\(PasteShape.percentEncoded(data))&\(names.1)=\(PasteShape.percentEncoded(signature))"
        }
        func quoted(_ text: String) -> String { "\"\(PasteShape.escaped(text))\"" }
        /// A string of a programming language between apostrophes.
        func apostrophed(_ text: String) -> String {
            "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }
        /// A cell of a table.
        func cell(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }
        func with(signature: String) -> Self { Self(data: data, signature: signature, names: names) }
    }

    let name: String
    let wrap: @Sendable (Parts) -> [UInt8]
    var testDescription: String { name }

    private init(_ name: String, _ wrap: @escaping @Sendable (Parts) -> String) {
        (self.name, self.wrap) = (name, { [UInt8](wrap($0).utf8) })
    }

    /// The names that libraries give the data and its signature, and some that none does.
    static let names = [
        ("data", "signature"), ("OriginalJson", "Signature"), ("ReceiptJson", "Signature"),
        ("original_json", "signature"), ("responseData", "signature"), ("transactionReceipt", "signatureAndroid"),
        ("localVerificationData", "signature"), ("INAPP_PURCHASE_DATA", "INAPP_DATA_SIGNATURE"),
        ("json", "sig"), ("receipt", "check"), ("a", "b"), ("Daten", "Unterschrift"),
    ]

    static let all = json + looseJSON + forms + programs + tables + texts + signatures

    private static let json: [Self] = [
        .init("an object") { $0.object },
        .init("an object in lines") {
            "{\n  \($0.quoted($0.names.0)): \($0.quoted($0.data)),\n  \($0.quoted($0.names.1)): \($0.quoted($0.signature))\n}\n"
        },
        .init("the signature first") {
            "{\($0.quoted($0.names.1)):\($0.quoted($0.signature)),\($0.quoted($0.names.0)):\($0.quoted($0.data))}"
        },
        .init("with other members") {
            "{\"platform\":\"android\",\"price\":4.99," + $0.object.dropFirst().dropLast() + ",\"id\":[1,\"x\"]}"
        },
        .init("inside other objects") { "{\"user\":\"ann\",\"purchase\":{\"play\":\($0.object)}}" },
        .init("in an array") { "[\($0.object)]" },
        .init("two strings of an array") { "[\($0.quoted($0.data)),\($0.quoted($0.signature))]" },
        .init("in a string") { PasteShape.json("Payload", $0.object) },
        .init("in a string of a string") { PasteShape.json("body", PasteShape.json("receipt", $0.object)) },
        .init("in different objects") {
            "{\"a\":{\($0.quoted($0.names.0)):\($0.quoted($0.data))},\"b\":{\($0.quoted($0.names.1)):\($0.quoted($0.signature))}}"
        },
        .init("after text") { "The app sends \($0.object)" },
        .init("in text") { "The app sends \($0.object), and the server rejects it" },
        .init("cut after the purchase") { "{\"purchase\":\($0.object),\"other\":{\"x\":[1,2" },
        .init("with slashes escaped") { $0.object.replacing("/", with: "\\/") },
    ]

    /// Objects that people and programs write, and that are no JSON.
    private static let looseJSON: [Self] = [
        .init("with a comma behind the last member") { "{\(members($0)),}" },
        .init("in lines with a comma behind the last member") {
            "{\n  \(members($0).replacing(", \"", with: ",\n  \"")),\n}\n"
        },
        .init("without the last brace") { "{\(members($0))" },
        .init("with a comment") { "{ // of today\n\(members($0))\n}" },
        .init("with a comment before it") { "// of today\n{\(members($0)),}" },
        .init("with undefined") { "{\"x\": undefined, \(members($0))}" },
        .init("with None") { "{\"x\": None, \(members($0))}" },
        .init("with NaN") { "{\"x\": NaN, \(members($0))}" },
        .init("with a member twice") { "{\"x\":1,\"x\":2, \(members($0))}" },
        .init("with a control character") { "{\"x\": \"\u{1}\", \(members($0))}" },
        .init("with dots in place of members") { "{..., \(members($0)), ...}" },
        .init("a damaged object in text") { "The app sends {\(members($0)),}, and the server rejects it" },
        .init("a damaged object in a string") { PasteShape.json("body", "{\(members($0)),}") },
        .init("a damaged object in an array") { "[{\(members($0)),},]" },
    ]

    private static func members(_ parts: Parts) -> String { String(parts.object.dropFirst().dropLast()) }

    private static let forms: [Self] = [
        .init("a form") { $0.form }, .init("a form with other fields") { "user=1&\($0.form)&v=2" },
        .init("a form with the signature first") {
            "\($0.names.1)=\(PasteShape.percentEncoded($0.signature))&\($0.names.0)=\(PasteShape.percentEncoded($0.data))"
        },
        .init("a form in a command") { "curl -d '\($0.form)' https://example.com/verify" },
        .init("a form with an object") { "purchase=\(PasteShape.percentEncoded($0.object))" },
        .init("percent-encoded") { PasteShape.percentEncoded($0.object) },
        .init("percent-encoded twice") { PasteShape.percentEncoded(PasteShape.percentEncoded($0.object)) },
        .init("an object in a command") { "curl -d '\($0.object.replacing("'", with: "'\\''"))' https://example.com" },
    ]

    private static let programs: [Self] = [
        .init("a JavaScript console") {
            "{ \($0.names.0): \($0.apostrophed($0.data)),\n  \($0.names.1): \($0.apostrophed($0.signature)) }"
        },
        .init("a JavaScript console in one line") {
            "{ \($0.names.0): \($0.apostrophed($0.data)), \($0.names.1): \($0.apostrophed($0.signature)) }"
        },
        .init("a JavaScript console, nested") {
            "{\n  user: 1,\n  purchase: {\n    \($0.names.0): \($0.apostrophed($0.data)),\n    \($0.names.1): "
                + "\($0.apostrophed($0.signature))\n  }\n}"
        },
        .init("a JavaScript console that joins strings") {
            "{ \($0.names.0):\n   \($0.apostrophed($0.data)),\n  \($0.names.1):\n   "
                + PasteShape.lines($0.signature, 70).map { "'\($0)'" }.joined(separator: " +\n   ") + " }"
        },
        .init("a Python dictionary") {
            "{'\($0.names.0)': \($0.apostrophed($0.data)), '\($0.names.1)': \($0.apostrophed($0.signature))}"
        },
        .init("a Swift dictionary") {
            "[\($0.quoted($0.names.0)): \($0.quoted($0.data)), \($0.quoted($0.names.1)): \($0.quoted($0.signature))]"
        },
        .init("joined strings of JavaScript") {
            "const d = \(pieces($0.data).map($0.apostrophed).joined(separator: " +\n  "));\n"
                + "const s = \(PasteShape.lines($0.signature, 60).map($0.apostrophed).joined(separator: " +\n  "));\n"
        },
        .init("joined strings of Java") {
            "String d = \(pieces($0.data).map($0.quoted).joined(separator: " +\n    "));\n"
                + "String s = \(PasteShape.lines($0.signature, 60).map($0.quoted).joined(separator: " +\n    "));\n"
        },
        .init("joined strings of Python") {
            "d = (\(pieces($0.data).map($0.apostrophed).joined(separator: "\n     ")))\n"
                + "s = (\(PasteShape.lines($0.signature, 60).map($0.apostrophed).joined(separator: "\n     ")))\n"
        },
        .init("a Java record") { "Purchase[\($0.names.0)=\($0.data), \($0.names.1)=\($0.signature)]" },
        .init("a Kotlin class") { "Purchase(\($0.names.0)=\($0.data), \($0.names.1)=\($0.signature))" },
        .init("assignments") {
            "\($0.names.0) = \($0.quoted($0.data));\n\($0.names.1) = \($0.quoted($0.signature));\n"
        },
        .init("in colour in a terminal") { "\u{1B}[32m\($0.data)\u{1B}[0m \u{1B}[1m\($0.signature)\u{1B}[0m" },
        .init("a log line") {
            "2026-11-22T10:00:00Z INFO \($0.names.0)=\($0.data) \($0.names.1)=\($0.signature) status=500"
        },
    ]

    private static func pieces(_ text: String) -> [String] {
        stride(from: 0, to: text.count, by: 40).map { String(text.dropFirst($0).prefix(40)) }
    }

    private static let tables: [Self] = [
        .init("a row of CSV") { "1,\($0.cell($0.data)),\($0.cell($0.signature))\r\n" },
        .init("a table of CSV") { "id,\($0.names.0),\($0.names.1)\n1,\($0.cell($0.data)),\($0.signature)\n" },
        .init("a table with semicolons") { "\($0.names.1);\($0.names.0)\n\($0.signature);\($0.cell($0.data))\n" },
        .init("a table with tabs") { "id\t\($0.names.0)\t\($0.names.1)\n1\t\($0.data)\t\($0.signature)\n" },
        .init("a table with bars") { "| 1 | \($0.data) | \($0.signature) |\n" },
        .init("a statement of SQL") { "INSERT INTO purchases VALUES (1, '\($0.data)', '\($0.signature)');" },
    ]

    private static let texts: [Self] = [
        .init("in two lines") { "\($0.data)\n\($0.signature)\n" },
        .init("in two lines, the signature first") { "\($0.signature)\n\($0.data)\n" },
        .init("with labels") { "\($0.names.0): \($0.data)\n\($0.names.1): \($0.signature)\n" },
        .init("quoted in mail") { "> \($0.names.0): \($0.data)\n> \($0.names.1): \($0.signature)\n" },
        .init("in XML") {
            "<p><\($0.names.0)>\(PasteShape.markup($0.data))</\($0.names.0)><s>\(PasteShape.markup($0.signature))</s></p>"
        },
        .init("in a page") { "<pre>\(PasteShape.markup($0.object))</pre>" },
        .init("base64") { PasteShape.base64($0.object) },
        .init("base64 in lines after a label") {
            "Receipt:\n" + PasteShape.lines(PasteShape.base64($0.object), 76).joined(separator: "\n") + "\n"
        },
        .init("in Markdown") { "```json\n\($0.object)\n```\n" },
    ]

    private static let signatures: [Self] = [
        .init("the signature in lines") {
            $0.with(signature: PasteShape.lines($0.signature, 76).joined(separator: "\n")).object
        },
        .init("the signature in lines with CR LF") {
            $0.with(signature: PasteShape.lines($0.signature, 64).joined(separator: "\r\n") + "\r\n").object
        },
        .init("the signature without padding") { $0.with(signature: $0.signature.replacing("=", with: "")).object },
        .init("the signature in base64url") {
            $0.with(signature: $0.signature.replacing("+", with: "-").replacing("/", with: "_")).object
        },
        .init("the signature with a line break") { $0.with(signature: $0.signature + "\n").object },
        .init("the signature in lines of a text") {
            "\($0.names.0):\n\($0.data)\n\n\($0.names.1):\n"
                + PasteShape.lines($0.signature, 76).joined(separator: "\n") + "\n\nThanks"
        },
    ]
}
