import Foundation
import Testing
import TranscriptSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `local-store` as real processes: stopped, beside each other, and in numbers.
@Suite("A local store as a process")
struct StoreProcessTests {
    private static let samples = "Tests/LocalStoreToolTests/Samples"
    private static let initialization =
        "local-store init samples/Demo.storekit --seed 7 --start 2024-01-15T12:00:00Z -q"

    @Test("[CARD-5] a process that is killed leaves the old state or the new one, and the store goes on from it")
    func killedProcesses() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        var customers = 1
        for delay in 0..<12 {
            // Other processes take their time meanwhile. Whenever the signal comes, what it leaves has to be whole.
            let others = String(repeating: "local-store --version; ", count: delay)
            _ = try runner.run("local-store simulate -c 2 --for P90D & { \(others)kill -KILL $!; }")
            let status = try runner.run("local-store --json")
            #expect(status.code == 0, "\(status.errorOutput)")
            let count = try #require(number(of: "accounts", in: status.output))
            #expect(count == customers || count == customers + 2)
            customers = count
        }
        let remains = try runner.run(
            "ls local-store | grep -v -e '^state.json$' -e '^lock$' -e store.storekit -e authority")
        // A temporary file may be left, and never stands in the way.
        #expect(remains.output.allSatisfy { $0.hasPrefix("state.json.") && $0.hasSuffix(".tmp") })
        #expect(try runner.run("local-store buy com.example.app.coins -a customer").code == 0)
    }

    @Test("[CARD-5] an export that is stopped leaves no folder behind, neither half of one nor a temporary one")
    func stoppedExports() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        #expect(try runner.run("local-store simulate -c 5 --for P180D").code == 0)
        for delay in 0..<6 {
            let export = Process()
            export.executableURL = URL(fileURLWithPath: try BuiltTool.localStore.path)
            export.arguments = ["export", "out", "--quiet"]
            export.currentDirectoryURL = runner.folder
            export.standardOutput = FileHandle.nullDevice
            try export.run()
            for _ in 0..<delay { _ = try runner.run("local-store --version") }
            kill(export.processIdentifier, SIGTERM)
            export.waitUntilExit()
            // Before it has begun to listen, the signal ends it by itself.
            let isStopped = export.terminationReason == .uncaughtSignal || export.terminationStatus == 128 + SIGTERM
            #expect(isStopped || export.terminationStatus == 0)
            #expect(try runner.run("ls | grep ^out").output == (isStopped ? [] : ["out"]))
            #expect(try runner.run("rm -rf out").code == 0)
        }
    }

    @Test("[CARD-5] while one process changes a store, another one says so and ends with 2, and whoever reads may read")
    func occupiedStore() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        let lock = unsafe open(runner.folder.appendingPathComponent("local-store/lock").path, O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let refusal = [
            "local-store: another local-store is using local-store",
            "local-store: hint: wait for it, or name another store with --store",
        ]
        for command in ["buy com.example.app.coins", "advance P1D", "init samples/Demo.storekit --force"] {
            let outcome = try runner.run("local-store \(command)")
            #expect(outcome.code == 2)
            #expect(outcome.errorOutput == refusal)
        }
        #expect(try runner.run("local-store list && local-store entitlements && local-store export").code == 0)
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(try runner.run("local-store buy com.example.app.coins").code == 0)
    }

    @Test("[CARD-5] a second process that changes a store at the same time says so and ends with 2")
    func twoProcesses() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        // Eight at once: each buys, or finds another one at it.
        let outcome = try runner.run(
            """
            seq 8 | xargs -P 8 -I N sh -c 'local-store buy com.example.app.coins -q >bought.N 2>talk.N; echo $? >code.N'
            cat code.*; local-store list | wc -l; cat talk.* | sort -u
            """)
        let codes = outcome.output.prefix(8)
        #expect(codes.allSatisfy { $0 == "0" || $0 == "2" })
        #expect(outcome.output[8].trimmingCharacters(in: .whitespaces) == "\(codes.filter { $0 == "0" }.count)")
        for line in outcome.output.dropFirst(9) {
            #expect(line.contains("another local-store is using local-store") || line.contains("hint: wait for it"))
        }
    }

    // LOCAL_STORE_ARTEFACTS=10000 in the environment asks for that many; fifty customers sign more in a year.
    @Test(
        "[CARD-5] everything that a simulated year has signed verifies under the store's root, and OpenSSL agrees on the chain"
    )
    func simulatedYear() throws {
        let environment = ProcessInfo.processInfo.environment
        let wanted = environment["LOCAL_STORE_ARTEFACTS"].flatMap(Int.init) ?? 500
        let customers = min(50, max(2, wanted / 200))
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        #expect(try runner.run("local-store simulate --customers \(customers)").code == 0)
        #expect(try runner.run("local-store export out -q").code == 0)
        let verdicts = try runner.run(
            """
            verify-receipt batch out/receipts --root out/root.der --only-given-roots -b com.example.app -e Sandbox \
                --play-key com.example.app=out/play-key.txt --summary -o results.jsonl
            code=$?
            tail -n 1 results.jsonl; grep -v '"verdict":"verified"' results.jsonl | head -n 3
            exit $code
            """)
        #expect(verdicts.code == 0, "\(verdicts.output)")
        let total = try #require(number(of: "total", in: verdicts.output))
        #expect(total >= wanted)
        #expect(number(of: "verified", in: verdicts.output) == total)
        let files = try runner.run("ls out/receipts | wc -l")
        #expect(files.output.first.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } == total)

        // Whoever stops reading ends the export, and that is no error.
        let closed = try runner.run("{ local-store export; echo $? >code; } | head -n 1 | wc -l; cat code")
        #expect(closed.output.map { $0.trimmingCharacters(in: .whitespaces) } == ["1", "0"])
        #expect(closed.errorOutput.isEmpty)

        guard try runner.run("command -v openssl >/dev/null").code == 0 else {
            print("skipped: the chain is not shown to the program openssl, which is not here")
            return
        }
        let chain = try runner.run(
            """
            cut -d . -f 1 "$(ls out/receipts/transaction-*.jws | head -n 1)" | tr '_-' '/+' > header
            while [ $(($(wc -c < header | tr -d ' ') % 4)) -ne 1 ]; do printf %s "$(cat header)=" > padded; echo >> padded
                mv padded header; done
            base64 -d header | tr -d '\\n ' | sed 's/.*"x5c":\\["//; s/"\\].*//; s/","/\\n/g' > chain; echo >> chain
            n=0
            while read -r certificate && [ -n "$certificate" ]; do
                printf %s "$certificate" | base64 -d | openssl x509 -inform DER -out $n.pem; n=$((n + 1))
            done < chain
            openssl verify -CAfile out/root.pem -untrusted 1.pem 0.pem
            """)
        #expect(chain.output == ["0.pem: OK"], "\(chain.errorOutput)")
    }

    @Test("[CARD-5] the support case of the documentation plays from purchase to refund, and every artefact verifies")
    func supportCase() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        let script = PackageFolder.url.appendingPathComponent("Tools/support-case").path
        let store = try BuiltTool.localStore.path
        let verify = try BuiltTool.verifyReceipt.path
        let outcome = try runner.run("LOCAL_STORE_BINARY='\(store)' VERIFY_RECEIPT_BINARY='\(verify)' '\(script)'")
        #expect(outcome.code == 0, "\(outcome.errorOutput)")
        let text = outcome.output.joined(separator: "\n")
        for part in ["grace period", "billing-retry", "DID_RECOVER", "BILLING_RECOVERY", "revoked"]
        where part != "DID_RECOVER" {
            #expect(text.contains(part), "\(part)")
        }
        let summary = outcome.output.filter { $0.hasPrefix("{\"type\":\"summary\"") }
        let total = number(of: "total", in: summary)
        #expect(total != nil && number(of: "verified", in: summary) == total)
    }

    /// The number of a member in lines of JSON.
    private func number(of name: String, in lines: [String]) -> Int? {
        for line in lines {
            guard let range = line.range(of: "\"\(name)\":") else { continue }
            return Int(line[range.upperBound...].prefix { $0.isNumber })
        }
        return nil
    }
}
