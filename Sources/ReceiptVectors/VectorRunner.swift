internal import ReceiptTypes
internal import ReceiptVerification

/// Runs vectors, which are data in JSON files, through the verifier.
///
/// A file that cannot be understood, a group of an unknown type, and a count that is not the declared one are differences:
/// a runner that passes over what it does not know would report success for nothing.
public struct VectorRunner {
    /// What has come out so far.
    public private(set) var report = VectorReport()

    /// Makes a runner.
    public init() {}

    /// Runs one file.
    public mutating func run(file name: String, text: [UInt8]) {
        guard let file = VectorFile(name: name, text: text) else {
            differ(name, 0, "file", expected: "vectors of the schema receipt-vectors-1", actual: "something else")
            return
        }
        let before = report.count
        for group in file.groups { run(group, of: file) }
        let count = report.count - before
        report.countsByFile[name] = count
        if Int64(count) != file.declaredCount {
            differ(name, 0, "numberOfTests", expected: "\(file.declaredCount)", actual: "\(count)")
        }
    }

    private mutating func run(_ group: JSONObject, of file: VectorFile) {
        let tests = group["tests"]?.elements?.compactMap(\.object) ?? []
        let type = group["type"]?.text ?? "none"
        guard let judge = Self.judge(of: type, group) else {
            differ(file.name, 0, "group of type \(type)", expected: "a group that can be set up", actual: "not so")
            return
        }
        for test in tests {
            report.count += 1
            let outcome = judge(test)
            guard outcome.expected != outcome.actual else { continue }
            differ(
                file.name, test["id"]?.integer ?? 0, test["comment"]?.text ?? "",
                expected: outcome.expected, actual: outcome.actual
            )
        }
    }

    private mutating func differ(_ file: String, _ id: Int64, _ comment: String, expected: String, actual: String) {
        report.differences.append(.init(file: file, id: id, comment: comment, expected: expected, actual: actual))
    }

    /// What a test should give and what it gives, as comparable texts.
    struct Outcome {
        var expected: String
        var actual: String
    }

    private static func judge(of type: String, _ group: JSONObject) -> ((JSONObject) -> Outcome)? {
        switch type {
        case "jws": JWSVectors.judge(group)
        case "play": PlayVectors.judge(group)
        case "es256": ES256Vectors.judge(group)
        case "base64url": { EncodingVectors.outcome(of: $0) }
        case "input": { InputVectors.outcome(of: $0) }
        case "key-cache": KeyCacheVectors.judge(group)
        default: nil
        }
    }
}
