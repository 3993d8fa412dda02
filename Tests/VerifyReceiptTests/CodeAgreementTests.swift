import Foundation
import ReceiptTypes
import Testing
import TranscriptSupport

@testable import ReceiptVerification

/// One input has one code, in `verify`, in the library and in each form of `batch`.
///
/// The inputs are the samples and the vectors, unchanged and with random damage. The environment variable
/// `RECEIPT_MUTATIONS_PER_INPUT` sets the number of damaged copies of each input.
@Suite("Agreement of commands and library")
struct CodeAgreementTests {
    private static let mutationCount =
        ProcessInfo.processInfo.environment["RECEIPT_MUTATIONS_PER_INPUT"].flatMap(Int.init) ?? 1
    private static let folder = PackageFolder.url.appendingPathComponent("TestVectors")

    /// A result line of the tool. Foundation decodes it because a damaged value can contain a NUL.
    private struct Row: Decodable {
        let source: String
        let line: Int?
        let verdict: String
        let code: String?
    }

    // MARK: Inputs

    private static let inputs: [[UInt8]]? = try? makeInputs()

    private static func makeInputs() throws -> [[UInt8]] {
        var originals: [[UInt8]] = []
        for name in ["transaction.jws", "renewal-info.jws", "notification.json", "tampered.jws", "play-purchase.json"] {
            originals.append([UInt8](try Data(contentsOf: folder.appendingPathComponent("samples/\(name)"))))
        }
        originals += try vectors(in: "input.json", "text") + vectors(in: "play.json", "input")
        for file in ["jws-structure.json", "jws-header.json", "jws-encoding.json", "jws-signature.json"] {
            originals += try vectors(in: file, "jws")
        }
        originals += [" \u{FEFF}", "\r\u{FEFF} \u{FEFF}"].map { [UInt8]($0.utf8) }
        var generator = SplitMix64(seed: 19)
        let damaged = originals.flatMap { original in
            (0..<mutationCount).map { _ in mutate(original, &generator) }
        }
        // `batch` limits a record to four times the size of a receipt, and skips empty ones.
        return (originals + damaged).filter { $0.count < 200_000 && $0.contains { ![9, 10, 13, 32].contains($0) } }
    }

    private static func vectors(in file: String, _ member: String) throws -> [[UInt8]] {
        let text = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
        let groups = try JSONDocument.value(of: text).object?["groups"]?.elements ?? []
        let tests = groups.flatMap { $0.object?["tests"]?.elements ?? [] }
        return tests.compactMap { $0.object?[member]?.text.map { [UInt8]($0.utf8) } }
    }

    private static func mutate(_ original: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        guard !original.isEmpty else { return original }
        var text = original
        let index = Int.random(in: text.indices, using: &generator)
        // The first characters decide how an input is recognized, so they are damaged often.
        let early = min(Int.random(in: 0..<6, using: &generator), text.count - 1)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: text[index] = UInt8.random(in: 0x21...0x7e, using: &generator)
        case 1: text[early] = UInt8.random(in: 0x21...0x7e, using: &generator)
        case 2: text.removeFirst(early + 1)
        case 3: text.removeLast(min(index + 1, text.count))
        case 4: text.insert(UInt8(ascii: "."), at: index)
        case 5:
            text.insert([0x20, 0x09, 0x0d, 0x3d, 0x25, 0x22, 0x2b].randomElement(using: &generator) ?? 0, at: index)
        default: text = [UInt8](text.reversed())
        }
        return text
    }

    // MARK: Results

    private static func verifier() throws -> ReceiptVerifier {
        var anchors = TrustAnchors()
        for name in ["samples/root.der", "roots/test-root.der"] {
            try anchors.add([UInt8](try Data(contentsOf: folder.appendingPathComponent(name))))
        }
        var keys = PlayKeyring()
        keys.add(
            [UInt8](try Data(contentsOf: folder.appendingPathComponent("samples/play-key.txt"))),
            forPackage: "com.example.app"
        )
        return ReceiptVerifier(trustAnchors: anchors, playKeys: keys)
    }

    private static let trust = """
        --only-given-roots --root \(folder.path)/samples/root.der --root \(folder.path)/roots/test-root.der \
        --play-key com.example.app=\(folder.path)/samples/play-key.txt --quiet
        """

    /// Runs the tool and returns the codes of its results by the key of a row.
    private func codes(
        _ runner: TranscriptRunner,
        _ command: String,
        key: (Row) -> String
    ) throws -> [String: [String]] {
        let outcome = try runner.run("\(command) \(Self.trust)")
        var codes: [String: [String]] = [:]
        for line in outcome.output {
            let row = try JSONDecoder().decode(Row.self, from: Data(line.utf8))
            codes[key(row), default: []].append(row.code ?? row.verdict)
        }
        return codes
    }

    @Test(
        "[CARD-6] the library, batch over files, lines, JSON and CSV, and verify without a search agree on all codes")
    func codesAgree() throws {
        let inputs = try #require(Self.inputs)
        let verifier = try Self.verifier()
        let expected = inputs.map { input in
            verifier.verifyInput(input).reports.map { $0.failure?.code.rawValue ?? $0.verdict.rawValue }
        }
        #expect(Set(expected.flatMap(\.self)).count > 12)
        let genuine = Set(
            inputs.flatMap { ReceiptInput.detect($0) }.filter { verifier.verify($0).verdict == .verified })
        let runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        let folder = runner.folder.appendingPathComponent("in")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

        // An input in a file of its own, for `verify` and for a batch over a folder.
        for (number, input) in inputs.enumerated() {
            try Data(input).write(to: folder.appendingPathComponent("\(number)"))
        }
        let singles = try codes(runner, "find in -type f | xargs verify-receipt --json") { $0.source }
        let wholes = try codes(runner, "verify-receipt batch in") { $0.source }
        // The other forms cannot express every input.
        var lines = Data()
        var objects = Data()
        var table = Data("number,receipt\n".utf8)
        for input in inputs {
            let isLine = !input.contains { $0 == 0x0A }
            lines.append(contentsOf: isLine ? input : [UInt8(ascii: "x")])
            let text = String(validating: input, as: UTF8.self)
            objects.append(contentsOf: JSONValue.object(["receipt": .string(text ?? "x")]).description.utf8)
            let field = String(decoding: input, as: UTF8.self).replacing("\"", with: "\"\"")
            table.append(contentsOf: "\"0\",\"\(field)\"".utf8)
            lines.append(0x0A)
            objects.append(0x0A)
            table.append(0x0A)
        }
        try lines.write(to: runner.folder.appendingPathComponent("lines.txt"))
        try objects.write(to: runner.folder.appendingPathComponent("objects.jsonl"))
        try table.write(to: runner.folder.appendingPathComponent("table.csv"))
        let byLine = try codes(runner, "verify-receipt batch lines.txt") { "\($0.line ?? 0)" }
        let byObject = try codes(runner, "verify-receipt batch objects.jsonl --field receipt") { "\($0.line ?? 0)" }
        let byField = try codes(runner, "verify-receipt batch table.csv --column receipt") { "\($0.line ?? 0)" }

        var fieldLine = 2
        var differences: [String] = []
        for (number, input) in inputs.enumerated() {
            let searched = SearchedInput(input)
            let single = singles["in/\(number)"]
            var actual = ["file": wholes["in/\(number)"]]
            if searched.isFoundBySearch {
                let reports = searched.receipts.map { ($0, verifier.verify($0)) }
                let found = reports.map { $0.1.failure?.code.rawValue ?? $0.1.verdict.rawValue }
                if single != found { differences.append("searched \(found), verify \(single ?? [])") }
                // A search adds results: what it verifies is genuine as it is, and what the library rejects as a JWS is
                // genuine with something around it, or is rejected here too.
                let verified = Set(reports.filter { $0.1.verdict == .verified }.map(\.0))
                let isMissing = expected[number].contains("verified") && verified.isEmpty
                if !verified.isSubset(of: genuine) || isMissing {
                    differences.append("library \(expected[number]), searched \(found)")
                }
            } else {
                actual["verify"] = single
            }
            if !input.contains(0x0A) { actual["line"] = byLine["\(number + 1)"] }
            if let text = String(validating: input, as: UTF8.self) {
                let (object, field) = (byObject["\(number + 1)"], byField["\(fieldLine)"])
                if Self.isEmptyValue(text) {
                    if object != nil || field != nil { differences.append("a result of an empty value: \(text)") }
                } else {
                    actual["JSON"] = object
                    actual["CSV"] = field
                }
            }
            if actual.values.contains(where: { $0 != expected[number] }) {
                let start = String(decoding: input.prefix(200), as: UTF8.self)
                differences.append("library \(expected[number]), \(actual): \(start)")
            }
            fieldLine += 1 + input.count { $0 == 0x0A }
        }
        #expect(differences == [])
    }

    /// Returns whether a member or a cell counts as empty, so that it has no result.
    private static func isEmptyValue(_ text: String) -> Bool {
        let words = text.split(whereSeparator: { $0.isWhitespace || $0 == "\u{FEFF}" })
        return words.isEmpty || [["NULL"], ["null"], ["\\N"]].contains(words.map(String.init))
    }

    @Test("[CARD-6] a JWS has the same code with and without the search for receipts, if it needs no unwrapping")
    func typedCodesAgree() throws {
        let verifier = try Self.verifier()
        var exceptions: Set<String> = []
        for input in try #require(Self.inputs) {
            let found = ReceiptInput.detect(input)
            let direct = verifier.verify(.jws(input)).failure?.code
            if found == [.jws(input)] {
                #expect(verifier.verify(found[0]).failure?.code == direct)
            } else if found == [.unrecognized(input)], let direct {
                // Input that neither begins nor ends like a JWS is called a JWS only by the caller.
                exceptions.insert(direct.rawValue)
            }
        }
        #expect(exceptions.isSubset(of: ["segment-count", "encoding", "header-malformed"]), "\(exceptions)")
    }
}
