import Foundation
import Testing
import TranscriptSupport

/// The script of `explain --evidence` accepts a receipt exactly if its certificates and its signature are verified.
@Suite("Agreement of evidence and verdict")
struct EvidenceAgreementTests {
    /// A receipt of the vectors.
    struct Sample: Sendable {
        let name: String
        let roots: [Data]
        let receipt: Data
    }

    /// The codes of the checks that the script leaves out, as its last lines say: what the claims are compared with.
    private static let unchecked: Set<String> = ["environment-mismatch", "nested-mismatch"]

    /// Vectors about which the script decides otherwise, with the reason. It is the stricter one in each of them.
    private static let exceptions = [
        "jws-header: alg written with escapes": "the script refuses escapes in the header",
        "jws-header: 33 levels of arrays": "the script does not count levels of JSON",
        "jws-header: 33 levels of objects": "the script does not count levels of JSON",
    ]

    /// The files of vectors about certificates and the header that holds them.
    private static let files = [
        "certificate-der", "jws-chain", "jws-x5c", "jws-anchors", "jws-header", "app-receipt-chain",
    ]

    /// All vectors of the files under given roots.
    static let all: [Sample] = {
        var samples: [Sample] = []
        for file in files {
            let path = PackageFolder.url.appending(path: "TestVectors/\(file).json")
            guard let document = try? JSONDecoder().decode(Document.self, from: Data(contentsOf: path)) else {
                continue
            }
            for group in document.groups {
                guard let roots = group.roots, roots.allSatisfy({ !$0.isBuiltIn }) else { continue }
                for test in group.tests {
                    guard let receipt = test.bytes(shared: group.shared ?? []) else { continue }
                    samples.append(
                        Sample(
                            name: "\(file): \(test.comment)", roots: roots.map(\.certificate), receipt: receipt))
                }
            }
        }
        return samples
    }()

    /// Every vector, or a few of each file: each starts dozens of processes.
    private static let chosen: [Sample] = {
        let count = ProcessInfo.processInfo.environment["EVIDENCE_CHAINS"].flatMap { Int($0) } ?? 12
        guard count < all.count, count > 0 else { return all }
        return (0..<count).map { all[$0 * all.count / count] }
    }()

    @Test(
        "the script and the verdict agree about every chain of the vectors (EVIDENCE_CHAINS is their number)",
        arguments: 0..<2)
    func agreement(half: Int) throws {
        #expect(Self.all.count >= 500)
        let runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        for (index, sample) in Self.chosen.enumerated() where index % 2 == half {
            try require(sample, runner)
        }
    }

    private func require(_ sample: Sample, _ runner: TranscriptRunner) throws {
        _ = try runner.run("rm -rf e root-*")
        try sample.receipt.write(to: runner.folder.appending(path: "receipt"))
        var options = "--only-given-roots"
        for (index, root) in sample.roots.enumerated() {
            try root.write(to: runner.folder.appending(path: "root-\(index)"))
            options += " --root root-\(index)"
        }
        let explained = try runner.run("verify-receipt explain receipt \(options) --json --evidence e")
        let result = try #require(
            explained.output.first.flatMap { try? JSONDecoder().decode(Result.self, from: Data($0.utf8)) },
            "\(sample.name): \(explained.errorOutput)")
        let isVerified = result.verdict == "verified" || Self.unchecked.contains(result.code ?? "")
        let script = try runner.run("[ ! -f e/check.sh ] || exec sh e/check.sh")
        // Without evidence there is nothing to check, and the receipt is not verified.
        let isAccepted = script.output.isEmpty ? false : script.code == 0
        if Self.exceptions[sample.name] != nil {
            #expect(isAccepted != isVerified, "\(sample.name) is no exception any more")
        } else {
            #expect(
                isAccepted == isVerified,
                "\(sample.name): \(result.verdict) \(result.code ?? ""), \(script.output.last ?? "no evidence")")
        }
    }

    /// The result of `explain`.
    private struct Result: Decodable {
        let verdict: String
        let code: String?
    }

    // MARK: Vectors

    private struct Document: Decodable {
        let groups: [Group]
    }

    private struct Group: Decodable {
        let roots: [Root]?
        let shared: [Data]?
        let tests: [Vector]
    }

    private struct Root: Decodable {
        let certificate: Data
        let isBuiltIn: Bool

        private enum Key: CodingKey { case certificate, builtIn }

        init(from decoder: any Decoder) throws {
            if let members = try? decoder.container(keyedBy: Key.self) {
                isBuiltIn = members.contains(.builtIn)
                certificate = try members.decode(Data.self, forKey: .certificate)
            } else {
                isBuiltIn = false
                certificate = try decoder.singleValueContainer().decode(Data.self)
            }
        }
    }

    private struct Vector: Decodable {
        let comment: String
        let jws: String?
        let receipt: Parts?

        func bytes(shared: [Data]) -> Data? {
            if let jws { return Data(jws.utf8) }
            guard let receipt else { return nil }
            return receipt.list.reduce(into: Data()) { $0 += $1.bytes(shared) }
        }
    }

    /// The parts of an app receipt.
    private struct Parts: Decodable {
        let list: [Part]

        init(from decoder: any Decoder) throws {
            list = try (try? [Part](from: decoder)) ?? [Part(from: decoder)]
        }
    }

    /// Bytes, or the place of shared ones.
    private struct Part: Decodable {
        var repeated = Data()
        var count = 1
        var shared: Int?

        private enum Key: CodingKey { case `repeat`, count }

        init(from decoder: any Decoder) throws {
            if let members = try? decoder.container(keyedBy: Key.self) {
                repeated = try members.decode(Data.self, forKey: .repeat)
                count = try members.decode(Int.self, forKey: .count)
            } else if let place = try? decoder.singleValueContainer().decode(Int.self) {
                shared = place
            } else {
                repeated = try decoder.singleValueContainer().decode(Data.self)
            }
        }

        func bytes(_ shared: [Data]) -> Data {
            self.shared.map { shared[$0] } ?? (0..<count).reduce(into: Data()) { bytes, _ in bytes += repeated }
        }
    }
}
