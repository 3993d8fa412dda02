#if os(Linux)
    import Foundation
    import Testing
    import TranscriptSupport

    /// Runs the endpoints of the page "Receive server notifications" over loopback.
    ///
    /// Continuous integration must not leave one out: there, a language that is not installed is a failure.
    @Suite("Endpoints for server notifications")
    struct EndpointTests {
        private static let page =
            "Sources/ReceiptVerification/ReceiptVerification.docc/ReceivingServerNotifications.md"
        private static let folder = PackageFolder.url.appendingPathComponent(
            "Tests/ReceiptVerifyLibraryTests/Programs/notifications")
        private static let hasPython = isUsable("python3")
        private static let hasNode = hasPython && isUsable("node") && isUsable("sqlite3")
        private static let hasGo = hasPython && isUsable("go") && isUsable("pkg-config")

        private let runner: TranscriptRunner

        init() throws {
            runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        }

        /// Returns whether a program is there, or has to be.
        private static func isUsable(_ program: String) -> Bool {
            let variables = ProcessInfo.processInfo.environment
            return variables["CI"] == "true"
                || ["/usr/bin", "/bin"].contains {
                    FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
                }
        }

        private static func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }

        /// Sets `library`, and `sanitizer`: the runtime that a library whose C is checked needs from the program.
        private static let variables = """
            library="$(dirname "$(command -v verify-receipt)")/libreceiptverify.so"
            sanitizer=
            if grep -q __ubsan_handle "$library"; then sanitizer="$(cc -print-file-name=libubsan.so)"; fi
            """

        /// Runs the checks of an endpoint: COMMAND starts it, and STALLED starts it with a verification without an end.
        private func check(_ command: String, stalled: String) throws {
            let outcome = try runner.run(
                """
                \(Self.variables)
                export RECEIPTVERIFY_LIBRARY="$library" PYTHONPATH="\(PackageFolder.url.path)/Tools/python"
                export PYTHONDONTWRITEBYTECODE=1
                timeout 600 python3 "\(Self.folder.path)/check_endpoint.py" samples \(command) -- \(stalled)
                """)
            #expect(outcome.code == 0, "\((outcome.output + outcome.errorOutput).suffix(12))")
        }

        @Test(
            "the page shows each file as it is",
            arguments: [
                ("sql", "schema.sql"), ("sql", "access.sql"), ("python", "endpoint.py"), ("javascript", "endpoint.js"),
                ("go", "endpoint.go"), ("go", "native.go"),
            ])
        func page(language: String, name: String) throws {
            let page = try String(contentsOf: PackageFolder.url.appendingPathComponent(Self.page), encoding: .utf8)
            let file = try Self.text(name)
            #expect(page.contains("```\(language)\n\(file)```\n"), "\(name) differs from its block on the page")
        }

        @Test(
            "the Python endpoint answers after it has recorded, and ignores duplicates and late notifications",
            .enabled(if: hasPython, "python3 is not installed"))
        func python() throws {
            let program = Self.folder.appendingPathComponent("endpoint.py").path
            let stall = """
                import runpy, sys, threading, receiptverify
                receiptverify.Verifier.verify = lambda *_: threading.Event().wait()
                runpy.run_path(sys.argv.pop(1), run_name='__main__')
                """
            let python = "env \"LD_PRELOAD=$sanitizer\" python3"
            try check("\(python) '\(program)'", stalled: "\(python) -c \"\(stall)\" '\(program)'")
        }

        @Test(
            "the Node endpoint answers after it has recorded, and ignores duplicates and late notifications",
            .enabled(if: hasNode, "python3, node or sqlite3 is not installed"))
        func node() throws {
            let program = Self.folder.appendingPathComponent("endpoint.js").path
            let prepared = try runner.run(
                """
                mkdir stalled
                printf '#!/bin/sh\\nexec tail -f /dev/null\\n' >stalled/verify-receipt
                chmod +x stalled/verify-receipt
                """)
            try #require(prepared.code == 0)
            try check("node '\(program)'", stalled: "env \"PATH=$PWD/stalled:$PATH\" node '\(program)'")
        }

        @Test(
            "the Go endpoint answers after it has recorded, and ignores duplicates and late notifications",
            .enabled(if: hasGo, "python3, go or pkg-config is not installed"))
        func go() throws {
            let header = PackageFolder.url.appendingPathComponent("Sources/CReceiptVerify").path
            let built = try runner.run(
                """
                set -e
                \(Self.variables)
                binaries="$(dirname "$library")"
                cat >receiptverify.pc <<END
                Name: receiptverify
                Description: verifies receipts
                Version: 0.1.0
                Cflags: -I\(header)
                Libs: -L$binaries -lreceiptverify -Wl,-rpath,$binaries $sanitizer
                END
                mkdir source
                cp "\(Self.folder.path)"/*.go source
                cd source
                export PKG_CONFIG_PATH="$PWD/.." GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
                go mod init endpoint
                timeout 300 go vet
                timeout 300 go build -o ../endpoint
                cd ..
                printf '#include <unistd.h>\\nint receiptverify_verify(void) { for (;;) pause(); }\\n' >stall.c
                cc -shared -fPIC -o stall.so stall.c
                """)
            try #require(built.code == 0, "\(built.errorOutput.suffix(12))")
            try check("./endpoint", stalled: "env \"LD_PRELOAD=$PWD/stall.so\" ./endpoint")
        }
    }
#endif
