internal import ReceiptTypes

/// The progress of a batch as the content of a file, so that a later run can continue an interrupted one.
///
/// Any bytes can be read: they are ``Damaged`` if a number in them cannot have been reached by any run.
package struct BatchCheckpoint: Sendable, Hashable {
    /// The error for bytes that are not a checkpoint of this version.
    package struct Damaged: Error, Hashable {}

    /// The version of the format.
    package static let version: Int64 = 5
    /// The maximum size of a checkpoint in bytes.
    package static let maximumSize = 1_048_576

    /// The digest of everything that determines the results.
    package let run: SHA256Digest
    /// The size of the results up to the position, in bytes.
    package let byteCount: Int
    /// The digest of these results, by which a later run recognizes them.
    package let results: SHA256Digest
    package let position: BatchPosition
    package let summary: BatchSummary

    package init(
        run: SHA256Digest, byteCount: Int, results: SHA256Digest, position: BatchPosition, summary: BatchSummary
    ) {
        self.run = run
        self.byteCount = byteCount
        self.results = results
        self.position = position
        self.summary = summary
    }

    /// Reads a checkpoint from the content of its file.
    package init(_ text: [UInt8]) throws(Damaged) {
        guard text.count <= Self.maximumSize, let object = (try? JSONDocument.value(of: text))?.object,
            object["version"]?.integer == Self.version
        else { throw Damaged() }
        func number(_ name: String) throws(Damaged) -> Int {
            guard let number = object[name]?.integer, (0...BatchSummary.maximumCount).contains(number)
            else { throw Damaged() }
            return Int(number)
        }
        guard let run = object["run"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let results = object["results"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let summary = object["summary"]?.object.flatMap(BatchSummary.init(json:))
        else { throw Damaged() }
        var position = BatchPosition(
            source: try number("source"), offset: try number("offset"), lines: try number("lines"))
        if let consumed = object["consumed"]?.object {
            guard let count = consumed["bytes"]?.integer.flatMap(Int.init(exactly:)),
                let digest = consumed["sha256"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
                let bytes = ConsumedBytes(count: count, digest: digest), count <= position.offset
            else { throw Damaged() }
            position.consumed = bytes
        }
        let byteCount = try number("bytes")
        // An input of some bytes leaves a digest.
        guard position.isPossible, position.offset == 0 || position.consumed != nil,
            // Nothing has been read, so nothing can have been counted.
            position.source > 0 || position.offset > 0 || summary.total + summary.empty == 0
        else { throw Damaged() }
        self.init(run: run, byteCount: byteCount, results: results, position: position, summary: summary)
    }

    /// The content of the file.
    package var text: [UInt8] {
        var object: JSONObject = [
            "version": .integer(Self.version), "run": .string(run.description), "bytes": .integer(Int64(byteCount)),
            "results": .string(results.description),
            "source": .integer(Int64(position.source)), "offset": .integer(Int64(position.offset)),
            "lines": .integer(Int64(position.lines)), "summary": .object(summary.json),
        ]
        if let consumed = position.consumed {
            object.append(
                "consumed",
                .object(["bytes": .integer(Int64(consumed.count)), "sha256": .string(consumed.digest.description)]))
        }
        return [UInt8]((object.description + "\n").utf8)
    }
}
