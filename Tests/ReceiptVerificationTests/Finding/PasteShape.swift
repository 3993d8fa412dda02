import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// A way in which a receipt is pasted.
struct PasteShape: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the shape changes white space inside the receipt, which is possible only for a JWS.
    let isForJWS: Bool
    let wrap: @Sendable (String) -> [UInt8]

    var testDescription: String { name }

    private init(_ name: String, isForJWS: Bool = false, bytes wrap: @escaping @Sendable (String) -> [UInt8]) {
        self.name = name
        self.isForJWS = isForJWS
        self.wrap = wrap
    }

    private init(_ name: String, isForJWS: Bool = false, _ wrap: @escaping @Sendable (String) -> String) {
        self.init(name, isForJWS: isForJWS, bytes: { [UInt8](wrap($0).utf8) })
    }

    static let all = mail + labels + web + programs + characters + breaks + encodings + strings + frames

    // MARK: The shapes

    private static let mail: [Self] = [
        .init("quoted in mail") { "Hi,\n\n" + lines($0, 76).map { "> \($0)\n" }.joined() + "\nRegards" },
        .init("quoted twice in mail") { lines($0, 72).map { ">> \($0)\n" }.joined() },
        .init("quoted with spaces between the signs") { lines($0, 72).map { "> > \($0)\n" }.joined() },
        .init("in one quoted line") { "On Monday, Ann wrote:\n> \($0)\n" },
        .init("quoted-printable") { quotedPrintable("Receipt: \($0)\n") },
        .init("quoted-printable with CR LF") { quotedPrintable("Receipt: \($0)\n").replacing("\n", with: "\r\n") },
        .init("quoted-printable and quoted") { quotedPrintable(lines($0, 60).map { "> \($0)\n" }.joined()) },
        .init("with a greeting and a signature") { "Hello support,\n\n\($0)\n\n-- \nAnn\nSent from my phone" },
    ]

    private static let labels: [Self] = [
        .init("after a label") { "Receipt: \($0)" }, .init("after a label and a line break") { "JWS:\n\($0)\n" },
        .init("in a sentence") { "The app sends \($0) and the server rejects it" },
        .init("at the end of a sentence") { "The receipt is \($0)." },
        .init("before a comma") { "\($0), please check" },
        .init("before an ellipsis") { "It begins \($0)…" }, .init("before three dots") { "see \($0)..." },
        .init("in parentheses") { "the receipt (\($0))" }, .init("in brackets") { "[\($0)]" },
        .init("in a list") { "1. \($0)\n" }, .init("in a bulleted list") { "- \($0)\n* nothing\n" },
        .init("after Bearer") { "Authorization: Bearer \($0)" },
        .init("after an assignment") { "export RECEIPT=\($0)" }, .init("in YAML") { "receipt: \"\(escaped($0))\"\n" },
        .init("in a table with tabs") { "id\treceipt\tdate\n1\t\($0)\t2026-01-01\n" },
        .init("in a table with bars") { "| 1 | \($0) | ok |" },
        .init("in a log line") { "2026-11-22T10:00:00Z INFO [worker-1] receipt=\($0) status=500" },
        .init("in a log line between quotation marks") {
            #"level=error msg="verify failed" jws=""# + $0 + #"" code=1"#
        },
        .init("after a prompt") { "$ echo '\($0)' | verify-receipt -" },
        .init("in a comment") { lines($0, 80).map { "# \($0)\n" }.joined() },
    ]

    private static let web: [Self] = [
        .init("in a form body") { "user=1&receipt=\(percentEncoded($0))&v=2" },
        .init("in a query") { "GET /verify?receipt=\(percentEncoded($0)) HTTP/1.1" },
        .init("percent-encoded twice") { "r=\(percentEncoded(percentEncoded($0)))" },
        .init("with every character percent-encoded") { "r=" + $0.utf8.map { "%" + hex($0) }.joined() },
        .init("in a multipart body") {
            "--x\r\nContent-Disposition: form-data; name=\"receipt\"\r\n\r\n\($0)\r\n--x--\r\n"
        },
        .init("in an element pre") { "<pre>\(markup($0))</pre>" },
        .init("in an attribute") { "<input value=\"\(markup($0))\">" },
        .init("between entities of quotation marks") { "&quot;\(markup($0))&quot;" },
        .init("in numeric entities") { $0.unicodeScalars.map { "&#\($0.value);" }.joined() },
        .init("in XML") { "<?xml version=\"1.0\"?><r><jws>\(markup($0))</jws></r>" },
        .init("after an HTTP header") { "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n\($0)" },
    ]

    private static let programs: [Self] = [
        .init("in a JSON string") { "{\"a\":1,\"receipt\":\"\(escaped($0))\"}" },
        .init("in JSON inside a JSON string") { json("body", json("receipt", $0)) },
        .init("in JSON three levels deep") { json("a", json("b", json("c", $0))) },
        .init("in JSON that was cut at the end") { "{\"receipt\":\"\(escaped($0))\",\"other\":{\"x\":[1,2" },
        .init("in JSON that was cut at the beginning") { "ceipt\":\"\(escaped($0))\"}" },
        .init("in cut JSON inside a JSON string") { String(json("body", json("receipt", $0)).dropLast(3)) },
        .init("in JSON after a log prefix") { "Nov 22 host app[1]: {\"receipt\":\"\(escaped($0))\"}" },
        .init("in several lines of JSON") { "{\"a\":1}\n{\"receipt\":\"\(escaped($0))\"}\n" },
        .init("in JSON with a comment") { "// body\n{\"receipt\":\"\(escaped($0))\",}" },
        .init("in a Pub/Sub message") { json("message", object: json("data", base64(json("signedPayload", $0)))) },
        .init("in a Markdown fence") { "Look:\n```json\n\($0)\n```\n" }, .init("in backticks") { "use `\($0)` here" },
        .init("in a Markdown link") { "[receipt](\($0))" }, .init("in bold") { "**\($0)**" },
        .init("in a Swift literal") { "let jws = \"\(escaped($0))\"\n" },
        .init("in a Python bytes literal") { "jws = b'\(escaped($0))'" },
        .init("in a curl command") { "curl -d '{\"receipt\":\"\(escaped($0))\"}' https://example.com/verify" },
        .init("with a backslash at the end of each line") { lines(escaped($0), 70).joined(separator: "\\\n") },
    ]

    private static let characters: [Self] = [
        .init("in straight quotation marks") { "\"\($0)\"" }, .init("in single quotation marks") { "'\($0)'" },
        .init("in curly quotation marks") { "“\($0)”" }, .init("in single curly quotation marks") { "‘\($0)’" },
        .init("in guillemets") { "«\($0)»" }, .init("in single guillemets") { "‹\($0)›" },
        .init("in low quotation marks") { "„\($0)“" }, .init("in angle brackets") { "<\($0)>" },
        .init("with zero-width spaces in it") { lines($0, 50).joined(separator: "\u{200B}") },
        .init("with word joiners in it") { lines($0, 64).joined(separator: "\u{2060}") },
        .init("with soft hyphens in it") { lines($0, 64).joined(separator: "\u{AD}") },
        .init("between byte order marks") { "\u{FEFF}\($0)\u{FEFF}" },
        .init("between no-break spaces") { "\u{A0}\($0)\u{A0}" },
        .init("with no-break spaces in it", isForJWS: true) { lines($0, 40).joined(separator: "\u{A0}") },
        .init("in UTF-16 with a mark", bytes: { utf16($0, isBigEndian: false, mark: true) }),
        .init("in UTF-16 without a mark", bytes: { utf16("see \($0)", isBigEndian: false, mark: false) }),
        .init("in big-endian UTF-16", bytes: { utf16("x: \($0)", isBigEndian: true, mark: true) }),
        .init("between bytes that are not UTF-8", bytes: { [0xFF, 0x80] + [UInt8]($0.utf8) + [0xC3] }),
    ]

    private static let breaks: [Self] =
        [1, 2, 5, 40, 64, 76, 100].flatMap { width -> [Self] in
            [
                .init("in lines of \(width), after a label", isForJWS: width < 20) {
                    "Receipt:\n" + lines($0, width).joined(separator: "\n") + "\nThanks a lot"
                },
                .init("with a blank after each \(width) characters", isForJWS: true) {
                    lines($0, width).joined(separator: " ") + " is the receipt"
                },
            ]
        } + [
            .init("in lines of 76 with CR LF and empty lines") { lines($0, 76).joined(separator: "\r\n\r\n") },
            .init("in indented lines", isForJWS: true) { lines($0, 60).map { "        \($0)\n" }.joined() + "end." },
            .init("in colour in a terminal", isForJWS: true) { "\u{1B}[1;31m\($0)\u{1B}[0m" },
            .init("as a line of a difference", isForJWS: true) { "@@ -1 +1 @@\n-old\n+\($0)\n" },
            .init("in columns of a terminal", isForJWS: true) { lines($0, 80).joined(separator: " \n") },
        ]

    private static let encodings: [Self] = [
        .init("in base64 twice") { base64(base64($0)) }, .init("in base64 in lines") { mime(base64($0)) },
        .init("in base64 after a label") { "data:text/plain;base64,\(base64($0))" },
        .init("in base64 of a sentence") { base64("The receipt is \($0), please check") },
        .init("in base64 in lines between sentences") { "Here it is:\n\(mime(base64($0)))\nThanks a lot" },
        .init("in full lines of base64 before a word") { text in
            mime(base64(text + String(repeating: " ", count: (57 - text.utf8.count % 57) % 57))) + "\nthanks a lot\n"
        },
        .init("in base64 of quoted mail") { base64(lines($0, 76).map { "> \($0)\n" }.joined()) },
        .init("in base64 in JSON") { json("data", base64(json("receipt", $0))) },
        .init("in base64 of base64 of JSON") { "x=\(base64(base64(json("receipt", $0))))" },
        .init("in base64 of UTF-16", bytes: { [UInt8](base64(utf16($0, isBigEndian: false, mark: true)).utf8) }),
        .init("in base64 in quoted mail") { lines(base64($0), 76).map { "> \($0)\n" }.joined() },
        .init("in percent-encoded base64") { "receipt=\(percentEncoded(base64($0)))" },
        .init("in base64url") {
            "r=" + base64($0).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        },
        .init("in quoted-printable base64") { quotedPrintable("Receipt:\n\(mime(base64($0)))\n") },
        .init("in HTML in quoted-printable") { quotedPrintable("<p>Receipt: <b>\(markup($0))</b></p>\n") },
        .init("in JSON in a form in JSON") { json("body", "receipt=\(percentEncoded(json("jws", $0)))&a=b") },
    ]

    /// Strings that a program joins.
    static let strings: [Self] = [
        .init("joined with + in Swift", isForJWS: true) { parts($0, "let r =\n    \"", "\" +\n    \"", "\"\n") },
        .init("joined with + before each line", isForJWS: true) { parts($0, "let r = \"", "\"\n    + \"", "\"\n") },
        .init("joined in one line", isForJWS: true) { parts($0, "const r = '", "' + '", "';\n") },
        .init("joined by a compiler of C", isForJWS: true) { parts($0, "char *r =\n  \"", "\"\n  \"", "\";\n") },
        .init("joined by a compiler of C, with line breaks", isForJWS: true) {
            parts($0, "char *r =\n  \"", "\\n\"\n  \"", "\";\n")
        },
        .init("joined by Python", isForJWS: true) { parts($0, "r = ('", "'\n     '", "')\n") },
        .init("joined as bytes by Python", isForJWS: true) { parts($0, "r = (b'", "'\n     b'", "')\n") },
        .init("joined with . in PHP", isForJWS: true) { parts($0, "$r = '", "' .\n  '", "';\n") },
        .init("joined with & in Visual Basic", isForJWS: true) { parts($0, "r = \"", "\" & _\n  \"", "\"\n") },
        .init("joined with || in SQL", isForJWS: true) { parts($0, "SELECT '", "' ||\n '", "';\n") },
        .init("joined with a backslash in Ruby", isForJWS: true) { parts($0, "r = \"", "\" \\\n  \"", "\"\n") },
        .init("as a list of lines", isForJWS: true) { parts($0, "[\n    \"", "\",\n    \"", "\"\n].join('')") },
    ]

    /// Lines with something before or behind each.
    static let frames: [Self] = [
        .init("in comments of C", isForJWS: true) { framed($0) { "// \($1)" } },
        .init("in comments of C after a label", isForJWS: true) { framed($0) { "// \($0 == 0 ? "r: " : "")\($1)" } },
        .init("in a block comment", isForJWS: true) { "/*\n" + framed($0) { " * \($1)" } + " */\n" },
        .init("in comments of SQL", isForJWS: true) { framed($0) { "-- \($1)" } },
        .init("in comments of Lisp", isForJWS: true) { framed($0) { "; \($1)" } },
        .init("in numbered lines", isForJWS: true) { framed($0) { "\($0 + 1): \($1)" } },
        .init("in numbered lines with bars", isForJWS: true) { framed($0) { " \($0 + 7) | \($1)" } },
        .init("by cat -n", isForJWS: true) { framed($0) { "   \($0 + 1)\t\($1)" } },
        .init("by grep -n", isForJWS: true) { framed($0) { "a/file.txt:\($0 + 8):\($1)" } },
        .init("by grep -n in a string", isForJWS: true) {
            framed($0) { "a.swift:\($0 + 8):\($0 == 0 ? "let r = " : "    ")\"\($1)\" +" }
        },
        .init("in numbered lines of a string", isForJWS: true) {
            framed($0) { "\($0 + 8)  \($0 == 0 ? "let r = " : "    ")\"\($1)\" +" }
        },
        .init("by logcat", isForJWS: true) {
            framed($0, 400) { "11-22 10:00:00.\(100 + $0)  1234  1250 D Billing : \($1)" }
        },
        .init("by logcat after a label", isForJWS: true) {
            framed($0, 400) { "D/Billing( 1234): \($0 == 0 ? "receipt=" : "")\($1)" }
        },
        .init("by the logs of containers", isForJWS: true) { framed($0, 400) { "app-1  | \($1)" } },
        .init("by journalctl", isForJWS: true) { framed($0, 400) { "Nov 22 10:00:\(10 + $0) host app[12]: \($1)" } },
        .init("as lines of a difference", isForJWS: true) { "@@ -0,0 +1,9 @@\n" + framed($0) { "+\($1)" } },
    ]

    // MARK: Tools

    /// Returns lines of a text as the parts of a string.
    private static func parts(_ text: String, _ before: String, _ between: String, _ after: String) -> String {
        before + lines(text, 76).joined(separator: between) + after
    }

    /// Returns lines of a text, each with its number from 0 and what a program prints around it.
    private static func framed(_ text: String, _ width: Int = 76, _ line: (Int, String) -> String) -> String {
        lines(text, width).enumerated().map { line($0, $1) + "\n" }.joined()
    }

    static func lines(_ text: String, _ width: Int) -> [String] {
        let bytes = [UInt8](text.utf8)
        return stride(from: 0, to: bytes.count, by: width).map {
            String(decoding: bytes[$0..<min($0 + width, bytes.count)], as: UTF8.self)
        }
    }

    static func escaped(_ text: String) -> String { String(JSONValue.string(text).description.dropFirst().dropLast()) }

    static func json(_ name: String, _ text: String) -> String { "{\"\(name)\":\"\(escaped(text))\"}" }

    static func json(_ name: String, object: String) -> String { "{\"\(name)\":\(object)}" }

    static func base64(_ text: String) -> String { base64([UInt8](text.utf8)) }

    static func base64(_ bytes: [UInt8]) -> String { Base64.standard.encode(bytes) }

    static func mime(_ text: String) -> String { lines(text, 76).joined(separator: "\n") }

    static func markup(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
    }

    static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isLetter || character.isNumber || "-._~".contains(character)
                ? String(character) : "%" + hex(byte)
        }.joined()
    }

    static func quotedPrintable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            lines(String(line.replacing("=", with: "=3D")), 75).joined(separator: "=\n")
        }.joined(separator: "\n")
    }

    static func utf16(_ text: String, isBigEndian: Bool, mark: Bool) -> [UInt8] {
        ((mark ? "\u{FEFF}" : "") + text).utf16.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
    }

    private static func hex(_ byte: UInt8) -> String { Hexadecimal.encode([byte]).uppercased() }
}
