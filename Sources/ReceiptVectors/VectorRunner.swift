internal import ReceiptTypes
internal import ReceiptVerification

/// Runs the vectors of JSON files through the verifier.
///
/// An unreadable file, a group of an unknown type and a wrong number of tests are reported as differences, because a
/// runner that skipped them would report success without testing anything.
public struct VectorRunner {
    /// The results so far.
    public private(set) var report = VectorReport()

    /// Creates a runner.
    public init() {}

    /// Runs the vectors of one file.
    public mutating func run(file name: String, text: [UInt8]) {
        guard let file = VectorFile(name: name, text: text) else {
            differ(name, 0, "file", expected: "vectors of the schema receipt-vectors-1", actual: "another schema")
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
        guard let evaluate = Self.evaluator(ofType: type, for: group) else {
            differ(
                file.name, 0, "group of type \(type)", expected: "a group that can be set up",
                actual: "a group that cannot be set up"
            )
            return
        }
        for test in tests {
            report.count += 1
            let outcome = evaluate(test)
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

    /// The expected and the actual outcome of a test, as comparable texts.
    struct Outcome {
        var expected: String
        var actual: String
    }

    /// Returns the function that runs the tests of a group; nil if its type is unknown or it cannot be set up.
    private static func evaluator(ofType type: String, for group: JSONObject) -> ((JSONObject) -> Outcome)? {
        switch type {
        case "jws": AppStoreVectors.evaluator(for: group, reading: AppStoreVectors.jws)
        case "app-receipt":
            AppStoreVectors.evaluator(for: group, isForAppReceipts: true) {
                AppStoreVectors.appReceipt(of: $0, in: group)
            }
        case "play": PlayVectors.evaluator(for: group)
        case "es256": ES256Vectors.evaluator(for: group)
        case "base64url": { EncodingVectors.outcome(of: $0) }
        case "input": { InputVectors.outcome(of: $0) }
        case "key-cache": KeyCacheVectors.evaluator(for: group)
        default: nil
        }
    }
}
