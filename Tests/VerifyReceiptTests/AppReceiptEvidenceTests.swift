import Foundation
import Testing
import TranscriptSupport

/// What `explain --evidence` writes for an app receipt is checked by its own script, with `openssl` alone.
@Suite("Evidence of app receipts")
struct AppReceiptEvidenceTests {
    private let runner: TranscriptRunner

    init() throws {
        runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    /// Mints a receipt, and writes the evidence for it.
    private func write(_ options: String = "") throws {
        let trust = "--root a/app-receipt-root.der --only-given-roots -b com.example.app"
        _ = try runner.run(
            "verify-receipt mint -a a -k app-receipt \(options) > r.txt; "
                + "verify-receipt explain r.txt \(trust) --evidence e")
    }

    private static let realData = PackageFolder.url.deletingLastPathComponent().appending(path: "shared/realdata")

    @Test(
        "the script accepts what the App Store has signed, with SHA-1 and with SHA-256",
        .enabled(if: FileManager.default.fileExists(atPath: realData.path)),
        arguments: ["sandbox-2015-sha1.der", "sandbox-2025-sha256.b64"])
    func genuine(name: String) throws {
        let path = Self.realData.appending(path: "receipts/\(name)").path
        let written = try runner.run("verify-receipt explain '\(path)' --evidence e")
        #expect(written.code == 0, "\(written.errorOutput)")
        let outcome = try runner.run("sh e/check.sh")
        #expect(outcome.code == 0, "\(outcome.output) \(outcome.errorOutput)")
        #expect(outcome.output.last == "When this script was written, verify-receipt said: verified")
    }

    @Test("the script accepts a receipt of each form, and the attributes beside it are those of the receipt")
    func forms() throws {
        for form in ["sha1", "sha256"] {
            try write("--form \(form)")
            #expect(try runner.run("sh e/check.sh").code == 0, "\(form)")
            let content = "openssl cms -verify -inform DER -in e/receipt.der -noverify -binary"
            #expect(try runner.run("\(content) | cmp - e/attributes.der").code == 0, "\(form)")
            _ = try runner.run("rm -r e")
        }
        // Xcode signs with a certificate of its own, which is the only one in the receipt.
        try write("--form xcode")
        #expect(try runner.run("sh e/check.sh").output.last?.hasPrefix("FAIL  no trusted root") ?? false)
        _ = try runner.run("openssl x509 -in e/leaf.pem -outform DER -out xcode.der; rm -r e")
        _ = try runner.run("verify-receipt explain r.txt --root xcode.der --only-given-roots --evidence e")
        #expect(try runner.run("sh e/check.sh").code == 0)
    }

    @Test("the script rejects the flaws of certificates and signatures that verify-receipt rejects")
    func flaws() throws {
        // The script of each other flaw says what it does not check, and has the same verdict in its last line.
        let messages = [
            "signature": "FAIL  openssl cms -verify does not accept it",
            "wrong-key": "FAIL  openssl cms -verify does not accept it",
            "other-signer": "FAIL  openssl cms -verify does not accept it",
            "two-signers": "FAIL  leaf.pem is not the signer",
            "wrong-root": "FAIL  no trusted root has the name and key of the last certificate",
            "wrong-issuer": "FAIL  leaf.pem is not signed by the key of intermediate.pem",
            "expired-leaf": "FAIL  leaf.pem is not valid at that time",
            "leaf-not-yet-valid": "FAIL  leaf.pem is not valid at that time",
            "leaf-is-ca": "FAIL  leaf.pem is a CA",
            "short-key": "FAIL  the key of leaf.pem has 1024 bits",
            "missing-marker": "FAIL  leaf.pem has no marker 1.2.840.113635.100.6.11.1",
            "intermediate-missing-marker": "FAIL  intermediate.pem has no marker 1.2.840.113635.100.6.2.1",
            "wrong-bundle": "When this script was written, verify-receipt said: unverified, bundle-id-mismatch",
        ]
        for (flaw, message) in messages.sorted(by: { $0.key < $1.key }) {
            _ = try runner.run("rm -rf e")
            try write("--flaw app-receipt-\(flaw)")
            let outcome = try runner.run("sh e/check.sh")
            #expect(outcome.output.last == message, "\(flaw)")
            #expect(outcome.code == (message.hasPrefix("FAIL") ? 1 : 0), "\(flaw)")
        }
    }

    @Test("a failed signature is blamed on systems without SHA-1 only if the receipt is signed with it")
    func hashes() throws {
        for (form, ending) in [("sha1", "; some systems switch SHA-1 off'"), ("sha256", "does not accept it'")] {
            try write("--form \(form)")
            let line = try runner.run("grep 'openssl cms -verify does not' e/check.sh; rm -r e").output.first
            #expect(line?.hasSuffix(ending) == true, "\(form): \(line ?? "")")
        }
    }

    @Test(
        "the script rejects files that are not the receipt's",
        arguments: [
            "printf x >> attributes.der", "printf x >> receipt.der", "cp intermediate.pem leaf.pem",
            "cp root.pem intermediate.pem", "cp intermediate.pem trusted-root.pem", "rm trusted-root.pem",
            "cat root.pem >> trusted-root.pem", "rm attributes.der",
        ])
    func files(change: String) throws {
        try write()
        #expect(try runner.run("sh e/check.sh").code == 0)
        #expect(try runner.run("cd e && { \(change); }").code == 0)
        #expect(try runner.run("sh e/check.sh").code == 1)
    }

    @Test("a container without its certificates has no evidence")
    func incomplete() throws {
        _ = try runner.run("verify-receipt mint -a a -k app-receipt --flaw app-receipt-no-certificates > r.txt")
        let outcome = try runner.run("verify-receipt explain r.txt --evidence e")
        #expect(outcome.code == 1)
        #expect(outcome.errorOutput.contains { $0.contains("there is no evidence to write") })
        #expect(try runner.run("test -e e").code == 1)
    }
}
