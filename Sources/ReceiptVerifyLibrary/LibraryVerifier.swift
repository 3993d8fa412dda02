internal import CReceiptVerify
internal import ReceiptResults
internal import ReceiptTypes
package import ReceiptVerification

/// A verifier with the counts of its results: what the handle of the C interface refers to.
package final class LibraryVerifier: Sendable {
    private let verifier: ReceiptVerifier
    private let counts = Locked(VerdictCounts())

    package init(_ verifier: ReceiptVerifier) {
        self.verifier = verifier
    }

    /// Creates a verifier by a policy file.
    ///
    /// - Parameter folder: The folder of the files that the policy names; nil if it may name none.
    convenience init(policy: [UInt8], folder: String?) throws(LibraryError) {
        do throws(VerificationConfigurationError) {
            let configuration = try VerificationConfiguration(json: policy) { name in
                try Self.contents(of: name, folder)
            }
            self.init(ReceiptVerifier(configuration: configuration))
        } catch {
            let isForbidden = folder == nil && error.code == .unreadableFile
            let reason = isForbidden ? Self.noFolder : error.hint ?? (error.underlying as? FileError)?.message
            throw .policy(reason.map { "\(error.message) (\($0))" } ?? error.message)
        }
    }

    private static let noFolder =
        "no file is read, because the folder of the policy was not given; give it, or use the members pem and playKey"
    /// The size of the largest file of roots or of a key.
    private static let fileLimit = 1_048_576

    private static func contents(of name: String, _ folder: String?) throws(FileError) -> [UInt8] {
        // Without a folder, the policy is complete in itself, and reads nothing.
        guard let folder else { throw FileError(code: .unreadable, path: name) }
        let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        guard let bytes = try PrivateFile.readPublic(path, maximumCount: fileLimit) else {
            throw FileError.missing(path)
        }
        return bytes
    }

    // MARK: Results

    /// Returns the result for one receipt as a JSON object.
    func result(for receipt: [UInt8], kind: ReceiptKind?) throws(LibraryError) -> [UInt8] {
        var verifier = verifier
        if let kind {
            guard verifier.policy.kinds.isEmpty || verifier.policy.kinds.contains(kind) else {
                throw .misuse("the policy does not accept the kind \(kind.rawValue)")
            }
            verifier.policy.kinds = [kind]
        }
        let report = verifier.verifyRecord(receipt)
        counts.withLock { $0.add(report.verdict, report.failure?.code.rawValue) }
        let members = ResultObject(hint: \.hint).make(
            source: "argument", item: 1, line: nil, report: report,
            warnings: ResultWarning.warnings(for: verifier.policy, report))
        return Self.text(members, schema: ResultObject.schemaName)
    }

    /// Verifies the receipts of lines, and passes on their results.
    func verify(
        lines: LentBytes, field: String?, jobs: Int, hasPayload: Bool,
        _ take: ([UInt8]) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        let batch = BatchVerifier(
            verifier: verifier, jobs: jobs, isImmediate: true, contents: ResultContents(hasPayload: hasPayload),
            isEveryRecordAnswered: true)
        let source = BatchSource(
            name: "lines", format: field.map { .json(field: $0) } ?? .lines, appending: lines.read)
        var reached = BatchSummary()
        defer { counts.withLock { $0.add(reached) } }
        do {
            _ = try batch.run([source]) { lines, progress in
                reached = progress.summary
                try take(lines)
            }
        } catch let error as LibraryError {
            throw error
        } catch let error as BatchError {
            throw error.code == .noThread ? .resources(error.message) : .misuse(error.message)
        } catch {
            throw .resources("the receipts cannot be read")
        }
    }

    /// The statistics as a JSON object.
    var statistics: [UInt8] {
        let keys = verifier.keyCache.statistics
        var object = counts.withLock { $0.json }
        object["keyCache"] = .object([
            "entries": .integer(Int64(keys.entries)), "capacity": .integer(Int64(keys.capacity)),
            "hits": .integer(Int64(keys.hits)), "misses": .integer(Int64(keys.misses)),
            "chainValidations": .integer(Int64(keys.chainValidations)), "evictions": .integer(Int64(keys.evictions)),
        ])
        return Self.text(object, schema: "receiptverify/statistics-1")
    }

    /// Returns an object as text, with its schema as the first member.
    private static func text(_ members: JSONObject, schema: String) -> [UInt8] {
        var object = JSONObject()
        object.append("schema", .string(schema))
        for member in members.members { object.append(member.name, member.value) }
        return [UInt8](object.description.utf8)
    }

    // MARK: Handles

    /// Returns a handle that owns a reference to the verifier.
    @unsafe
    package func retainedHandle() -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque())
    }

    /// Returns the verifier of a handle.
    @unsafe
    static func verifier(of handle: OpaquePointer?) throws(LibraryError) -> LibraryVerifier {
        guard let handle = unsafe handle else { throw .misuse("the verifier is NULL") }
        // Safe: the caller vouches for a handle of `retainedHandle` that was not freed, which owns a reference.
        return unsafe Unmanaged<LibraryVerifier>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    /// Gives up the reference that a handle owns.
    @unsafe
    static func release(_ handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return }
        // Safe: as above; the caller does not use the handle again.
        unsafe Unmanaged<LibraryVerifier>.fromOpaque(UnsafeRawPointer(handle)).release()
    }
}

/// The counts of the results of a verifier.
private struct VerdictCounts {
    private var total = 0
    private var verdicts: [Verdict: Int] = [:]
    private var codes: [String: Int] = [:]

    mutating func add(_ verdict: Verdict, _ code: String?) {
        total += 1
        verdicts[verdict, default: 0] += 1
        if let code { codes[code, default: 0] += 1 }
    }

    mutating func add(_ summary: BatchSummary) {
        total += summary.total
        verdicts.merge(summary.verdicts, uniquingKeysWith: +)
        codes.merge(summary.codes, uniquingKeysWith: +)
    }

    var json: JSONObject {
        [
            "type": .string("statistics"), "total": .integer(Int64(total)),
            "verdicts": Self.counts(
                Dictionary(uniqueKeysWithValues: Verdict.allCases.map { ($0.rawValue, verdicts[$0] ?? 0) })),
            "codes": Self.counts(codes),
        ]
    }

    private static func counts(_ counts: [String: Int]) -> JSONValue {
        var object = JSONObject()
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object.append(name, .integer(Int64(count))) }
        return .object(object)
    }
}
