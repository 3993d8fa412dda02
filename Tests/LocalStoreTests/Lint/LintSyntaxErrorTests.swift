import LocalStore
import Testing

/// Files that cannot be read, with the place of the error.
struct LintSyntaxErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var expected: String

        var testDescription: String { expected }
    }

    static let cases = [
        Case(
            text: "",
            expected: "1:1: error: the file is not valid JSON from here on; the file ends too early [not-json]"),
        Case(
            text: "{\n  \"products\" : [ ],\n}",
            expected: "3:1: error: the file is not valid JSON from here on; remove the comma before it [not-json]"
        ),
        Case(
            text: "{\n  \"identifier\" : \"a\"\n  \"products\" : [ ]\n}",
            expected: "3:3: error: the file is not valid JSON from here on; a comma is missing before it [not-json]"
        ),
        Case(
            text: "{\n  // the shop\n  \"products\" : [ ]\n}",
            expected: "2:3: error: the file is not valid JSON from here on; JSON has no comments [not-json]"
        ),
        Case(
            text: "{ 'products' : [ ] }",
            expected:
                "1:3: error: the file is not valid JSON from here on; JSON strings need double quotation marks [not-json]"
        ),
        Case(
            text: "{\n  \"familyShareable\" : True\n}",
            expected: "2:23: error: the file is not valid JSON from here on [not-json]"
        ),
        Case(
            text: "{ \"products\" : [",
            expected: "1:17: error: the file is not valid JSON from here on; the file ends too early [not-json]"
        ),
        Case(
            text: "{ \"ü\" : 1, \"a\\\"b\" : 2,\r\n  \"a\\\"b\" : 3 }",
            expected: "2:3: error: the key \"a\\\\\\\"b\" appears twice in one object; remove one [duplicate-key]"
        ),
        Case(
            text: "{ \"a\" : \"x\\u0000y\" }",
            expected: "1:9: error: the file contains a NUL character [nul-character]"
        ),
        Case(
            text: "{ \"a\" : 99999999999999999999 }",
            expected: "1:9: error: the number is too large [number-out-of-range]"
        ),
        Case(
            text: "{ \"a\" : 1e999 }",
            expected: "1:9: error: the number is too large [number-out-of-range]"
        ),
        Case(
            text: "[ { } ]",
            expected:
                "1:1: error: the file is not a JSON object; expected an object, found an array [not-an-object]"
        ),
        Case(
            text: "{ \"a\" : \(String(repeating: "[", count: 40))",
            expected: "1:40: error: arrays and objects are nested more than 32 levels deep [too-deep]"
        ),
    ]

    @Test("an unreadable file has one finding at the right place", arguments: cases)
    func places(_ test: Case) {
        #expect(StoreConfiguration.lint(Array(test.text.utf8)).map(\.description) == [test.expected])
    }

    @Test("a file that is not UTF-8 is rejected")
    func rejectsOtherEncodings() {
        let bytes = Array("{ \"a\" : \"".utf8) + [0xff, 0xfe] + Array("\" }".utf8)
        #expect(throws: StoreConfigurationError.self) { try StoreConfiguration(reading: bytes) }
        #expect(StoreConfiguration.lint(bytes).map(\.code) == [.notUTF8])
    }

    @Test("a byte order mark does not count in columns")
    func skipsByteOrderMark() throws {
        let bytes = [0xef, 0xbb, 0xbf] + Array("{ \"identifer\" : 1 }".utf8)
        let findings = StoreConfiguration.lint(bytes)
        #expect(findings.first?.code == .byteOrderMark)
        let unknown = findings.first { $0.code == .unknownKey }
        #expect(unknown?.line == 1 && unknown?.column == 3)
        #expect(unknown?.hint == "did you mean identifier")
        let broken = StoreConfiguration.lint([0xef, 0xbb, 0xbf] + Array("{ x }".utf8))
        #expect(broken.map(\.column) == [3])
    }

    @Test("a file beyond the budget is rejected before it is parsed")
    func rejectsLargeFiles() {
        let large = [UInt8](repeating: 0x20, count: ConfigurationBudget.fileSize + 1)
        #expect(StoreConfiguration.lint(large).map(\.code) == [.fileTooLarge])
        let many = Array("{\"a\":[".utf8) + [UInt8](repeating: UInt8(ascii: ","), count: ConfigurationBudget.valueCount)
        #expect(StoreConfiguration.lint(many).map(\.code) == [.tooManyValues])
    }
}
