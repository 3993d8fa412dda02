#if os(Linux)
    import Foundation
    import Testing
    import TranscriptSupport

    /// Builds programs in C with AddressSanitizer and LeakSanitizer, and runs them with the dynamic library.
    ///
    /// The environment variable `LIBRARY_ROUNDS` sets the number of receipts that each thread verifies.
    @Suite("Programs in C")
    struct ProgramTests {
        private static let rounds = ProcessInfo.processInfo.environment["LIBRARY_ROUNDS"] ?? "200"
        private let runner: TranscriptRunner

        init() throws {
            runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
            try Data(InterfaceTests.policy.utf8).write(to: runner.folder.appendingPathComponent("policy.json"))
            let binaries = try runner.run("dirname \"$(command -v verify-receipt)\"").output.first ?? ""
            let header = PackageFolder.url.appendingPathComponent("Sources/CReceiptVerify").path
            let description = """
                Name: receiptverify
                Description: verifies receipts
                Version: 0.1.0
                Cflags: -I\(header)
                Libs: -L\(binaries) -lreceiptverify -Wl,-rpath,\(binaries)
                """
            try Data(description.utf8).write(to: runner.folder.appendingPathComponent("receiptverify.pc"))
        }

        /// Builds a program with the line of the page. A library whose C is checked needs the runtime of the program.
        private func build(_ source: String, _ name: String, options: String = "") throws {
            try Data(source.utf8).write(to: runner.folder.appendingPathComponent("\(name).c"))
            let line = try Self.block("sh").replacingOccurrences(of: "verify", with: name)
                .replacingOccurrences(of: "receipt\(name)", with: "receiptverify")
            let sanitized = line.replacingOccurrences(
                of: "cc ", with: "cc -g -Wall -Wextra -Werror -pthread -fsanitize=address,undefined \(options)")
            let outcome = try runner.run("export PKG_CONFIG_PATH=$PWD; \(sanitized)")
            try #require(outcome.code == 0, "\(outcome.errorOutput)")
        }

        private func run(_ command: String) throws -> Transcript.Outcome {
            // LeakSanitizer does not see the pointers in enumerations of Swift that live as long as the process.
            let suppressed = PackageFolder.url.appendingPathComponent("Tools/support/leaks.txt").path
            return try runner.run(
                """
                export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1
                export LSAN_OPTIONS=suppressions=\(suppressed):print_suppressions=0
                \(command)
                """)
        }

        private static func block(_ language: String) throws -> String {
            let page = PackageFolder.url.appendingPathComponent(
                "Sources/ReceiptVerification/ReceiptVerification.docc/FromC.md")
            let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```\(language)\n")
            try #require(parts.count == 2)
            return parts[1].components(separatedBy: "```\n")[0]
        }

        private static func program(_ name: String) throws -> String {
            let path = "Tests/ReceiptVerifyLibraryTests/Programs/\(name).c"
            return try String(contentsOf: PackageFolder.url.appendingPathComponent(path), encoding: .utf8)
        }

        @Test("the program of the documentation prints the result, and neither leaks nor breaks a rule of C")
        func documentation() throws {
            try build(try Self.block("c"), "verify")
            let verified = try run("./verify policy.json samples/transaction.jws")
            #expect(verified.code == 0, "\(verified.errorOutput.prefix(8))")
            let result = verified.output.first ?? ""
            #expect(result.hasPrefix(#"{"schema":"verify-receipt/result-1","type":"result","source":"argument","#))
            #expect(result.contains(#""verdict":"verified""#))
            let tampered = try run("./verify policy.json samples/tampered.jws")
            #expect(tampered.code == 0)
            #expect(tampered.output.first?.contains(#""verdict":"unverified""#) == true)
            let unusable = try run("./verify samples/transaction.jws samples/transaction.jws")
            #expect(unusable.code == 2)
            #expect(unusable.errorOutput.first?.hasPrefix("the policy cannot be used: ") == true)
            #expect(unusable.output.isEmpty)
        }

        @Test("each function refuses NULL, huge lengths and other arguments that cannot be used")
        func misuse() throws {
            let policy = #"""
                {"schema": "verify-receipt/config-1", "apps": [{"bundleId": "com.example.app",
                 "environments": ["Production"]}]}
                """#
            try Data(policy.utf8).write(to: runner.folder.appendingPathComponent("plain.json"))
            try build(try Self.program("misuse"), "misuse")
            let outcome = try run("./misuse plain.json")
            #expect(outcome.code == 0, "\((outcome.output + outcome.errorOutput).prefix(8))")
        }

        @Test("eight threads of a program share a verifier and get the results of one")
        func threads() throws {
            try build(try Self.program("threads"), "threads")
            let outcome = try run("./threads policy.json \(Self.rounds) samples/*.jws samples/*.json")
            #expect(outcome.code == 0, "\((outcome.output + outcome.errorOutput).prefix(8))")
        }
    }
#endif
