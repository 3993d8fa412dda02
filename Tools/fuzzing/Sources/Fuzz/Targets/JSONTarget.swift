internal import Foundation

@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Any bytes as a JSON document, and as a payload of every kind.
final class JSONTarget: FuzzTarget {
    static let name = "json"
    static let summary = "JSON documents, the JSON writer, and every payload model"
    static let maximumLength = 4096

    private static let depth = 64

    init() throws {}

    var seeds: [(name: String, bytes: [UInt8])] {
        let samples = [
            "transaction": SamplePayload.transaction, "subscription": SamplePayload.subscription,
            "renewal-info": SamplePayload.renewalInfo, "app-transaction": SamplePayload.appTransaction,
            "realtime-request": SamplePayload.realtimeRequest, "notification": SamplePayload.notification,
            "summary": SamplePayload.summary, "purchase-token": SamplePayload.purchaseToken,
            "app-data": SamplePayload.appData,
            "play-purchase": SamplePayload.playPurchase,
            "numbers":
                "[0,-0,-0.0,1E5,1.5e-300,5e-324,1.7976931348623157e308,9223372036854775807,-9223372036854775808]",
            "texts":
                #"["\u0000x","\u200b","\ud83d\ude00","\ud83d","\"\\\/\b\f\n\r\t","é","2025-10-01T07:08:38.835+02:00"]"#,
            "nul": "[1\0,true\0]", "nested": #"[[[[{"a":{"a":{"b":[]}}}]]]]"#, "twice": #"{"a":1,"a":2}"#,
        ]
        return samples.sorted { $0.key < $1.key }.map { ($0.key, [UInt8]($0.value.utf8)) }
    }

    func run(_ input: [UInt8]) throws {
        checkWriterOfAnyBytes(input)
        guard let value = Self.parse(input, Self.depth) else { return }
        requireFoundationAccepts(input)
        checkRoundTrip(of: value)
        checkDepth(of: value, input)
        ValueChecks.check(value)
        guard case .object(let object) = value else { return }
        try input.withRawSpan { (span) throws(CryptoFault) in
            guard case .success(let document) = try JSONDocument.read(span, maximumDepth: Self.depth) else { return }
            for kind in ReceiptKind.allCases { ModelChecks.check(object, document.root, kind) }
            ModelChecks.checkMembers(of: object, document.root)
        }
    }

    // MARK: Reader and writer

    /// Checks that Foundation accepts a document too; it may accept others, because this reader is stricter.
    private func requireFoundationAccepts(_ text: [UInt8]) {
        let value = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        require(value != nil, "Foundation rejects a document that was accepted")
    }

    private static func parse(_ text: [UInt8], _ depth: Int) -> JSONValue? {
        let result = text.withRawSpan { try? JSONDocument.read($0, maximumDepth: depth) }
        guard case .success(let document)? = result else { return nil }
        return document.root.value
    }

    private func checkRoundTrip(of value: JSONValue) {
        let text = Self.write(value)
        require(!text.contains(0x0A), "a line break in written JSON")
        requireHarmless(String(decoding: text, as: UTF8.self), "written JSON contains a control character")
        guard let again = Self.parse(text, Self.depth) else {
            stop("written JSON cannot be read: \(String(decoding: text, as: UTF8.self))")
        }
        requireEqual(again, value, "JSON, written and read back")
        requireEqual(Self.write(again), text, "JSON, written a second time")
    }

    private static func write(_ value: JSONValue) -> [UInt8] {
        var text: [UInt8] = []
        JSONText.append(value, to: &text)
        return text
    }

    /// Checks that any bytes become readable JSON, even if they are not UTF-8.
    private func checkWriterOfAnyBytes(_ bytes: [UInt8]) {
        var text: [UInt8] = []
        bytes.withRawSpan { JSONText.append(utf8: $0, to: &text) }
        // NUL is written as an escape, which the reader rejects on purpose.
        guard !bytes.contains(0) else { return }
        guard let again = Self.parse(text, 1)?.text else {
            stop("written bytes cannot be read: \(String(decoding: text, as: UTF8.self))")
        }
        if let original = String(validating: bytes, as: UTF8.self) {
            require(again.isIdentical(to: original), "a string, written and read back, differs")
        }
    }

    /// Checks that a document is read if and only if the limit is at least its depth.
    private func checkDepth(of value: JSONValue, _ text: [UInt8]) {
        let depth = Self.depth(of: value)
        require(Self.parse(text, depth) != nil, "rejected with its own depth of \(depth) as the limit")
        if depth > 0 { require(Self.parse(text, depth - 1) == nil, "read with a limit below its depth of \(depth)") }
    }

    private static func depth(of value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let object): 1 + (object.members.map { depth(of: $0.value) }.max() ?? 0)
        default: 0
        }
    }
}
