import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// A way in which programs store, print and send an app receipt.
struct AppReceiptShape: Sendable, CustomTestStringConvertible {
    let name: String
    /// Returns the text of a receipt in DER or BER.
    let wrap: @Sendable ([UInt8]) -> [UInt8]

    var testDescription: String { name }

    private init(bytes name: String, _ wrap: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        (self.name, self.wrap) = (name, wrap)
    }

    private init(_ name: String, _ wrap: @escaping @Sendable (String) -> String) {
        self.init(bytes: name, { [UInt8](wrap(Base64.standard.encode($0)).utf8) })
    }

    private init(hexadecimal name: String, _ wrap: @escaping @Sendable ([String]) -> String) {
        self.init(bytes: name, { [UInt8](wrap($0.map { Hexadecimal.encode([$0]) }).utf8) })
    }

    static let all =
        alone + texts + hexadecimal + words + characters + binary
        + (PasteShape.all.filter { !$0.isForJWS } + PasteShape.strings + PasteShape.frames).map { shape in
            Self(bytes: shape.name) { shape.wrap(Base64.standard.encode($0)) }
        }

    private static let alone: [Self] = [
        .init("in base64") { $0 }, .init("in base64 without padding") { $0.replacing("=", with: "") },
        .init("in base64url") { url($0) },
        .init("in base64url with padding") {
            $0.replacing("+", with: "-").replacing("/", with: "_")
        },
        .init("in lines of 76") { lines($0, 76, "\r\n") }, .init("in lines of 64") { lines($0, 64, "\n") },
        .init("in lines of 19") { lines($0, 19, "\n") },
        .init("in indented lines") { "    " + lines($0, 60, "\n    ") },
        .init("percent-encoded") { PasteShape.percentEncoded($0) },
        .init("percent-encoded twice, alone") { PasteShape.percentEncoded(PasteShape.percentEncoded($0)) },
        .init("with lines as %0A") { lines($0, 76, "%0A") }, .init("with lines as %0D%0A") { lines($0, 76, "%0D%0A") },
        .init("with escaped slashes") { $0.replacing("/", with: "\\/") },
        .init("with lines as \\n") { lines($0, 76, "\\n") }, .init("with lines as \\r\\n") { lines($0, 76, "\\r\\n") },
        .init("with entities for +") { $0.replacing("+", with: "&#43;") },
        .init("with entities for + and /") { $0.replacing("+", with: "&#x2B;").replacing("/", with: "&#x2F;") },
        .init("with \\u002b") { $0.replacing("+", with: "\\u002b").replacing("=", with: "\\u003d") },
    ]

    private static let texts: [Self] = [
        .init("before a sentence") { "\($0)\n\nBest regards,\nJohn\n" }, .init("in a cell of CSV") { "\($0),1,USD" },
        .init("in a quoted cell of CSV") { "\"\($0)\",\"1\"\n" }, .init("before a parenthesis") { "\($0))" },
        .init("before a semicolon") { "\($0);" }, .init("before a tag") { "\($0)</string>" },
        .init("in a property list") {
            "<plist><dict><key>r</key><data>\n\t\(lines($0, 68, "\n\t"))\n</data></dict></plist>"
        },
        .init("before a parameter") { "\(PasteShape.percentEncoded($0))&password=abc" },
        .init("before a parameter, not encoded") { "\($0)&password=abc" },
        .init("after a label, before a line") { "receipt: \($0)\nthanks for your help\n" },
        .init("without padding, before a line") { "r=\($0.replacing("=", with: ""))\nthanks a lot\n" },
        .init("without padding, before a word") { "\($0.replacing("=", with: "")) thanks" },
        .init("in lines without padding, before a line") {
            lines($0.replacing("=", with: ""), 76, "\n") + "\nthanks\n"
        },
        .init("in JSON") { "{\"receipt-data\":\"\($0)\",\"password\":\"abc\"}" },
        .init("in JSON, percent-encoded") { "{\"receipt\": \"\(PasteShape.percentEncoded($0))\"}" },
        .init("in JSON with escaped lines") { "{\"receipt-data\":\"\(lines($0, 76, "\\r\\n"))\"}" },
        .init("in JSON with escaped slashes") { "{\"receipt-data\":\"\($0.replacing("/", with: "\\/"))\"}" },
        .init("in SQL") { "INSERT INTO r VALUES (1,'\($0)',NULL);" },
        .init("in YAML lines") { "r: |\n  \(lines($0, 76, "\n  "))\nx: 1\n" },
        .init("in PEM") { "-----BEGIN PKCS7-----\n\(lines($0, 64, "\n"))\n-----END PKCS7-----\n" },
        .init("by psql") { text in
            " encode\n" + String(repeating: "-", count: 78) + "\n"
                + PasteShape.lines(text, 76).map { $0.utf8.count == 76 ? " \($0)+\n" : " \($0)\n" }.joined()
        },
        .init("by psql in expanded form") { text in
            let lines = PasteShape.lines(text, 76).map { $0.utf8.count == 76 ? "\($0)+" : $0 }
            return "-[ RECORD 1 ]-\nreceipt | " + lines.joined(separator: "\n        | ") + "\n"
        },
        .init("in a data URL") { "data:application/pkcs7-mime;base64,\($0)" },
    ]

    private static let hexadecimal: [Self] = [
        .init(hexadecimal: "as bytea of PostgreSQL") { "\\x\($0.joined())" },
        .init(hexadecimal: "as bytea in JSON") { "{\"receipt\":\"\\\\x\($0.joined())\"}" },
        .init(hexadecimal: "as bytea in a table") { "id | receipt\n---+---\n 1 | \\x\($0.joined())\n(1 row)\n" },
        .init(hexadecimal: "as bytea in CSV") { "id,receipt\n1,\\x\($0.joined())\n" },
        .init(hexadecimal: "with 0x") { "0x\($0.joined().uppercased())" },
        .init(hexadecimal: "as a literal of SQL") { "X'\($0.joined().uppercased())'" },
        .init(hexadecimal: "in SQL") { "INSERT INTO r VALUES (1, x'\($0.joined())', 2);" },
        .init(hexadecimal: "alone") { $0.joined() },
        .init(hexadecimal: "in upper case") { $0.joined().uppercased() + "\n" },
        .init(hexadecimal: "after a label") { "receipt=\($0.joined()) status=0" },
        .init(hexadecimal: "by xxd -p") { lines($0.joined(), 60, "\n") + "\n" },
        .init(hexadecimal: "by xxd") { dump($0) { "\(offset($0, 8)): \(groups($1, 2))  \(text($1))\n" } },
        .init(hexadecimal: "by xxd -g 1, quoted") {
            dump($0) { "  \(offset($0, 8)): \(groups($1, 1))  \(text($1))\n" }
        },
        .init(hexadecimal: "by hexdump -C") {
            dump($0) {
                let halves = [Array($1.prefix(8)), Array($1.dropFirst(8))].map { groups($0, 1) }
                return "\(offset($0, 8))  \(halves.joined(separator: "  "))  |\(text($1))|\n"
            }
        },
        .init(hexadecimal: "by Format-Hex") {
            "   Label: x\n\n          Offset Bytes      Ascii\n          ------ ----- -----\n"
                + dump($0) { "\(offset($0, 16).uppercased()) \(groups($1, 1).uppercased()) \(text($1))\n" }
        },
        .init(hexadecimal: "by LLDB") {
            dump($0) { "0x\(offset($0 + 0x7FFE_0000, 8)): \(groups($1, 1))  \(text($1))\n" }
        },
        .init(hexadecimal: "by tcpdump") { dump($0) { "\t0x\(offset($0, 4)):  \(groups($1, 2))  \(text($1))\n" } },
        .init(hexadecimal: "as escapes in lines") {
            "\"" + groupsOfLines($0.map { "\\x" + $0 }, 16, "", "\"\n  \"") + "\";"
        },
        .init(hexadecimal: "by od -t x1") { dump($0) { "\(octalOffset($0)) \(groups($1, 1))\n" } },
        .init(hexadecimal: "by NSData") { "<\(groups($0, 4))>" },
        .init(hexadecimal: "by NSData with its length") { "{length = \($0.count), bytes = 0x\(groups($0, 4)) }" },
        .init(hexadecimal: "with colons") { $0.joined(separator: ":") },
        .init(hexadecimal: "with colons in lines") { groupsOfLines($0, 18, ":", ":\n    ") },
        .init(hexadecimal: "with blanks") { $0.joined(separator: " ") },
        .init(hexadecimal: "as a C array") { "{ " + groupsOfLines($0.map { "0x" + $0 }, 12, ", ", ",\n  ") + " };" },
        .init(hexadecimal: "as escapes of bytes") { "\"" + $0.map { "\\x" + $0 }.joined() + "\"" },
        .init(bytes: "as JSON of a JavaScript buffer") { [UInt8]("{\"type\":\"Buffer\",\"data\":\(Array($0))}".utf8) },
        .init(bytes: "as bytes with signs") { [UInt8]("\($0.map { Int8(bitPattern: $0) })".utf8) },
        .init(bytes: "as decimal numbers") { [UInt8]($0.map { "\($0)" }.joined(separator: " ").utf8) },
        .init(hexadecimal: "by a JavaScript buffer") { "<Buffer \($0.joined(separator: " "))>" },
    ]

    /// Bytes as other numbers, and as words of several bytes.
    private static let words: [Self] = [
        .init(bytes: "as JSON of a typed array") { bytes in
            [UInt8]("{\(bytes.enumerated().map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
        },
        .init(bytes: "by a console, with indices") { bytes in
            [UInt8](bytes.enumerated().map { "\($0): \($1)\n" }.joined().utf8)
        },
        .init(bytes: "by print_r") { bytes in
            [UInt8]("Array\n(\n\(bytes.enumerated().map { "    [\($0)] => \($1)\n" }.joined()))\n".utf8)
        },
        .init(bytes: "as a slice of Go") { bytes in
            [UInt8]("[]byte{\(bytes.map { "0x" + String($0, radix: 16) }.joined(separator: ", "))}".utf8)
        },
        .init(bytes: "as hexadecimal numbers of Rust") { bytes in
            [UInt8]("[\(bytes.map { String($0, radix: 16) }.joined(separator: ", "))]".utf8)
        },
        .init(bytes: "in octal") { bytes in [UInt8](bytes.map { digits(Int($0), 8, 3) }.joined(separator: " ").utf8) },
        .init(bytes: "as octal escapes") { bytes in
            [UInt8]("\"\(bytes.map { "\\" + digits(Int($0), 8, 3) }.joined())\"".utf8)
        },
        .init(bytes: "by od -b") { bytes in
            numberDump(bytes) { "\(octalOffset($0)) \($1.map { digits(Int($0), 8, 3) }.joined(separator: " "))\n" }
        },
        .init(bytes: "by od -A d -t u1") { bytes in
            numberDump(bytes) { "\(digits($0, 10, 7)) \($1.map { " \($0)" }.joined())\n" }
        },
        .init(bytes: "by xxd -b") { bytes in
            numberDump(bytes, 6) {
                "\(offset($0, 8)): \($1.map { digits(Int($0), 2, 8) }.joined(separator: " "))  ......\n"
            }
        },
        .init(bytes: "by hexdump") { bytes in
            numberDump(bytes) { "\(offset($0, 7)) \(littleEndian($1, 2) { digits($0, 16, 4) })\n" }
        },
        .init(bytes: "by od") { bytes in
            numberDump(bytes) { "\(octalOffset($0)) \(littleEndian($1, 2) { digits($0, 8, 6) })\n" }
        },
        .init(bytes: "by od -t x4 without offsets") { bytes in
            numberDump(bytes) { _, line in " \(littleEndian(line, 4) { digits($0, 16, 8) })\n" }
        },
        .init(bytes: "by xxd -e") { bytes in
            numberDump(bytes) { "\(offset($0, 8)): \(littleEndian($1, 4) { digits($0, 16, 8) })  ................\n" }
        },
    ]

    /// Bytes as the characters of a string.
    private static let characters: [Self] = [
        .init(bytes: "as bytes of Python") { [UInt8]("r = b'\(string($0) { "\\x\(digits($0, 16, 2))" })'\n".utf8) },
        .init(bytes: "as bytes of Python in lines") { bytes in
            let lines = stride(from: 0, to: bytes.count, by: 30).map { start in
                "b'\(string(Array(bytes[start..<min(start + 30, bytes.count)])) { "\\x\(digits($0, 16, 2))" })'"
            }
            return [UInt8]("(\(lines.joined(separator: "\n ")))".utf8)
        },
        .init(bytes: "as bytea in the form escape") { [UInt8]("1|\(string($0, quote: nil, octal))\n".utf8) },
        .init(bytes: "as bytea in the form escape in CSV") { bytes in
            [UInt8]("1,\"\(string(bytes, quote: nil, octal).replacing("\"", with: "\"\""))\"\n".utf8)
        },
        .init(bytes: "as bytea in the form escape by COPY") { bytes in
            [UInt8]("1\t\(string(bytes, quote: nil, octal).replacing("\\", with: "\\\\"))\tx\n".utf8)
        },
        .init(bytes: "as a string of JSON") {
            [UInt8]("{\"r\":\"\(string($0, quote: "\"") { "\\u\(digits($0, 16, 4))" })\"}".utf8)
        },
        .init(bytes: "by redis-cli") {
            [UInt8]("\"\(string($0, quote: "\"") { "\\x\(digits($0, 16, 2))" })\"".utf8)
        },
    ]

    private static let binary: [Self] = [
        .init(bytes: "as bytes") { $0 }, .init(bytes: "as bytes before a line break") { $0 + [0x0A] },
        .init(bytes: "as bytes in a multipart body") {
            [UInt8]("--x\r\nContent-Type: application/octet-stream\r\n\r\n".utf8) + $0 + [UInt8]("\r\n--x--\r\n".utf8)
        },
        .init(bytes: "as bytes after a label") { [UInt8]("receipt: ".utf8) + $0 },
        .init(bytes: "in base64 of hexadecimal") { [UInt8](PasteShape.base64(Hexadecimal.encode($0)).utf8) },
    ]

    // MARK: Texts

    static func lines(_ text: String, _ width: Int, _ separator: String) -> String {
        PasteShape.lines(text, width).joined(separator: separator)
    }

    private static func url(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func groups(_ bytes: [String], _ count: Int) -> String {
        stride(from: 0, to: bytes.count, by: count).map { bytes[$0..<min($0 + count, bytes.count)].joined() }
            .joined(separator: " ")
    }

    private static func groupsOfLines(_ bytes: [String], _ count: Int, _ separator: String, _ end: String) -> String {
        stride(from: 0, to: bytes.count, by: count)
            .map { bytes[$0..<min($0 + count, bytes.count)].joined(separator: separator) }.joined(separator: end)
    }

    private static func dump(_ bytes: [String], _ line: (Int, [String]) -> String) -> String {
        stride(from: 0, to: bytes.count, by: 16).map { line($0, Array(bytes[$0..<min($0 + 16, bytes.count)])) }.joined()
    }

    private static func numberDump(_ bytes: [UInt8], _ width: Int = 16, _ line: (Int, [UInt8]) -> String) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: width).flatMap { start in
            [UInt8](line(start, Array(bytes[start..<min(start + width, bytes.count)])).utf8)
        }
    }

    /// Returns words of some bytes, of which the last one comes first.
    private static func littleEndian(_ bytes: [UInt8], _ size: Int, _ text: (Int) -> String) -> String {
        stride(from: 0, to: bytes.count, by: size).map { start in
            text(bytes[start..<min(start + size, bytes.count)].reversed().reduce(0) { $0 << 8 | Int($1) })
        }.joined(separator: " ")
    }

    /// Returns bytes as the characters of a string.
    private static func string(
        _ bytes: [UInt8], quote: Character? = "'", _ escaped: (Int) -> String
    ) -> String {
        bytes.map { byte in
            guard (0x20...0x7E).contains(byte) else { return escaped(Int(byte)) }
            let character = Character(Unicode.Scalar(byte))
            return character == "\\" || character == quote ? "\\\(character)" : String(character)
        }.joined()
    }

    private static func digits(_ value: Int, _ radix: Int, _ width: Int) -> String {
        let digits = String(value, radix: radix)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    private static func offset(_ value: Int, _ width: Int) -> String { digits(value, 16, width) }

    private static func octal(_ byte: Int) -> String { "\\\(digits(byte, 8, 3))" }

    private static func octalOffset(_ value: Int) -> String { digits(value, 8, 7) }

    /// The characters that a dump shows beside its bytes, some of which look like further bytes.
    private static func text(_ bytes: [String]) -> String {
        String(
            bytes.map {
                UInt8($0, radix: 16).map { (0x21...0x7E).contains($0) ? Character(Unicode.Scalar($0)) : "." } ?? "."
            })
    }
}
