import Foundation
import Testing
import TranscriptSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs `local-store` as real processes: killed, interrupted, concurrent, and with many receipts.
@Suite("local-store processes")
struct StoreProcessTests {
    private static let samples = "Tests/LocalStoreToolTests/Samples"
    private static let initialization =
        "local-store init samples/Demo.storekit --seed 7 --start 2024-01-15T12:00:00Z -q"

    @Test("a killed process leaves the old state or the new one, and the store stays usable")
    func killedProcesses() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        var customers = 1
        for delay in 0..<12 {
            // Short commands delay the signal, so that it arrives at a different moment in each round.
            let pause = String(repeating: "local-store --version; ", count: delay)
            _ = try runner.run("local-store simulate -c 2 --for P90D & { \(pause)kill -KILL $!; }")
            let status = try runner.run("local-store --json")
            #expect(status.code == 0, "\(status.errorOutput)")
            let count = try #require(number(of: "accounts", in: status.output))
            #expect(count == customers || count == customers + 2)
            customers = count
        }
        let remains = try runner.run(
            "ls local-store | grep -v -e '^state.sqlite$' -e '^state.sqlite-wal$' -e '^state.sqlite-shm$' -e '^lock$' "
                + "-e store.storekit -e authority")
        #expect(remains.output.isEmpty)
        #expect(try runner.run("local-store buy com.example.app.coins -a customer").code == 0)
    }

    @Test("an interrupted export leaves neither an incomplete folder nor a temporary one")
    func interruptedExports() throws {
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
            // Before the handler is installed, the signal ends the process directly.
            let isInterrupted = export.terminationReason == .uncaughtSignal || export.terminationStatus == 128 + SIGTERM
            #expect(isInterrupted || export.terminationStatus == 0)
            #expect(try runner.run("ls | grep ^out").output == (isInterrupted ? [] : ["out"]))
            #expect(try runner.run("rm -rf out").code == 0)
        }
    }

    @Test("while a process holds the lock, commands that change the store end with 2 and commands that read it succeed")
    func lockedStore() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        let lock = unsafe open(runner.folder.appendingPathComponent("local-store/lock").path, O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let expected = [
            "local-store: another local-store process is using local-store",
            "local-store: hint: wait for it with --wait SECONDS, or choose another store with --store",
        ]
        for command in ["buy com.example.app.coins", "advance P1D", "init samples/Demo.storekit --force"] {
            let outcome = try runner.run("local-store \(command)")
            #expect(outcome.code == 2)
            #expect(outcome.errorOutput == expected)
        }
        #expect(try runner.run("local-store list && local-store entitlements && local-store export").code == 0)
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(try runner.run("local-store buy com.example.app.coins").code == 0)
    }

    @Test("of eight concurrent purchases each one is recorded or ends with 2, and none is lost")
    func concurrentPurchases() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        let outcome = try runner.run(
            """
            seq 8 | xargs -P 8 -I N sh -c 'local-store buy com.example.app.coins -q >bought.N 2>talk.N; echo $? >code.N'
            cat code.*; local-store list | wc -l; cat talk.* | sort -u
            """)
        let codes = outcome.output.prefix(8)
        #expect(codes.allSatisfy { $0 == "0" || $0 == "2" })
        #expect(outcome.output[8].trimmingCharacters(in: .whitespaces) == "\(codes.filter { $0 == "0" }.count)")
        for line in outcome.output.dropFirst(9) {
            #expect(
                line.contains("another local-store process is using local-store")
                    || line.contains("hint: wait for it"))
        }
    }

    @Test("of eight concurrent purchases that wait for each other, all are recorded")
    func waitingPurchases() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        let outcome = try runner.run(
            """
            seq 8 | xargs -P 8 -I N sh -c 'local-store buy com.example.app.coins --wait 600 -q >/dev/null || echo failed'
            local-store list | wc -l
            """)
        #expect(outcome.output.map { $0.trimmingCharacters(in: .whitespaces) } == ["8"])
        #expect(outcome.errorOutput.isEmpty)
    }

    @Test("a command with --wait says that it waits, and continues when the other process ends")
    func waitsForLock() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        let lock = unsafe open(runner.folder.appendingPathComponent("local-store/lock").path, O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let buy = Process()
        buy.executableURL = URL(fileURLWithPath: try BuiltTool.localStore.path)
        buy.arguments = ["buy", "com.example.app.coins", "--wait", "600"]
        buy.currentDirectoryURL = runner.folder
        buy.standardOutput = FileHandle.nullDevice
        let messages = Pipe()
        buy.standardError = messages
        try buy.run()
        // Returns when the process has written, or has ended.
        let first = String(decoding: messages.fileHandleForReading.availableData, as: UTF8.self)
        #expect(first == "local-store: waiting for another local-store process\n")
        #expect(flock(lock, LOCK_UN) == 0)
        buy.waitUntilExit()
        #expect(buy.terminationStatus == 0)
        #expect(try runner.run("local-store list | wc -l").output.first?.contains("1") == true)
    }

    @Test("two processes write to one store, and a third reads all of their purchases")
    func writingProcesses() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        let outcome = try runner.run(
            """
            seq 2 | xargs -P 2 -I N sh -c \
                'for i in 1 2 3 4 5 6 7 8; do local-store buy com.example.app.coins --wait 600 -q; done >bought.N'
            cat bought.1 bought.2 | wc -l; local-store list | wc -l
            """)
        #expect(
            outcome.output.map { $0.trimmingCharacters(in: .whitespaces) }
                == ["16", "16"])
    }

    @Test("of simultaneous refunds, finished transactions and renewals in one store, none is lost")
    func simultaneousChanges() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        #expect(try runner.run(Self.initialization).code == 0)
        let outcome = try runner.run(
            """
            for i in 1 2 3 4 5 6; do local-store buy com.example.app.coins -q; done | awk '{print $2}' > ids
            local-store buy com.example.app.pro.monthly -q > /dev/null
            xargs -P 6 -I N sh -c 'local-store refund N --wait 600 -q && local-store finish N --wait 600 -q' < ids > refunds &
            for i in 1 2 3; do local-store advance P1M --wait 600 -q > /dev/null || echo failed; done
            wait
            local-store list --json | grep coins | grep -c '"revocationPercentage":"100.*"finished":true'
            local-store list --json | grep -c RENEWAL
            """)
        #expect(outcome.output == ["6", "3"], "\(outcome.errorOutput)")
    }

    // The environment variable LOCAL_STORE_ARTEFACTS sets the minimum number of receipts, such as 10000.
    @Test(
        "every receipt of a simulated year verifies under the store's root, and OpenSSL verifies the chain strictly"
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

        // An export to a closed pipe stops without an error.
        let closed = try runner.run("{ local-store export; echo $? >code; } | head -n 1 | wc -l; cat code")
        #expect(closed.output.map { $0.trimmingCharacters(in: .whitespaces) } == ["1", "0"])
        #expect(closed.errorOutput.isEmpty)

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
            openssl verify -x509_strict -purpose any -CAfile out/root.pem -untrusted 1.pem 0.pem
            """)
        #expect(chain.output == ["0.pem: OK"], "\(chain.errorOutput)")
    }

    @Test("Tools/support-case runs from purchase to refund, and every exported receipt verifies")
    func supportCase() throws {
        let runner = try TranscriptRunner(.localStore, samples: Self.samples)
        let script = PackageFolder.url.appendingPathComponent("Tools/support-case").path
        let store = try BuiltTool.localStore.path
        let verify = try BuiltTool.verifyReceipt.path
        let outcome = try runner.run("LOCAL_STORE_BINARY='\(store)' VERIFY_RECEIPT_BINARY='\(verify)' '\(script)'")
        #expect(outcome.code == 0, "\(outcome.errorOutput)")
        let text = outcome.output.joined(separator: "\n")
        for part in ["grace period", "billing-retry", "BILLING_RECOVERY", "revoked"] {
            #expect(text.contains(part), "\(part)")
        }
        let summary = outcome.output.filter { $0.contains("\"type\":\"summary\"") }
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
