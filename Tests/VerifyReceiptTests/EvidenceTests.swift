import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing
import TranscriptSupport

/// What `explain --evidence` writes is checked by its own script, with `openssl` alone.
@Suite("Evidence of verify-receipt explain")
struct EvidenceTests {
    private let runner: TranscriptRunner

    init() throws {
        runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: runner.folder.appending(path: name))
    }

    /// Writes evidence for a receipt and runs its script.
    private func check(_ receipt: String, root: [UInt8]) throws -> Transcript.Outcome {
        try Data(root).write(to: runner.folder.appending(path: "root.der"))
        try write(receipt, "receipt.txt")
        _ = try runner.run(
            "rm -rf e; verify-receipt explain receipt.txt --root root.der --only-given-roots --evidence e")
        return try runner.run("sh e/check.sh")
    }

    private static func payload(_ product: String = "premium") -> JSONObject {
        [
            "transactionId": .string("1"), "originalTransactionId": .string("1"),
            "bundleId": .string("com.example.app"),
            "productId": .string(product), "environment": .string("Sandbox"),
            "signedDate": .integer(1_750_000_000_000), "purchaseDate": .integer(1_750_000_000_000),
        ]
    }

    private static func segments(_ jws: String) -> [Substring] { jws.split(separator: ".") }

    // MARK: Receipts of the stores

    private static let realData = PackageFolder.url.deletingLastPathComponent().appending(path: "shared/realdata")

    @Test(
        "the script accepts what Apple and Google have signed",
        .enabled(if: FileManager.default.fileExists(atPath: realData.path)))
    func genuine() throws {
        struct Index: Decodable {
            struct Item: Decodable {
                let file: String
                let kind: String
                let verdict: String
            }
            let items: [Item]
        }
        let index = try JSONDecoder().decode(
            Index.self, from: Data(contentsOf: Self.realData.appending(path: "index.json")))
        let items = index.items.filter { $0.verdict == "valid" && $0.kind == "apple-jws" }
        #expect(items.count >= 5)
        for item in items {
            let path = Self.realData.appending(path: item.file).path
            let written = try runner.run("rm -rf e; verify-receipt explain '\(path)' --evidence e")
            #expect(written.code == 0, "\(item.file): \(written.errorOutput)")
            let outcome = try runner.run("sh e/check.sh")
            #expect(outcome.code == 0, "\(item.file): \(outcome.output) \(outcome.errorOutput)")
        }
    }

    @Test(
        "the script accepts each kind of JWS, a notification with its receipts, one of Xcode, and a Play purchase")
    func kinds() throws {
        _ = try runner.run(
            "verify-receipt explain samples/play-purchase.json --play-key com.example.app=samples/play-key.txt --evidence play"
        )
        #expect(try runner.run("sh play/check.sh").code == 0)
        _ = try runner.run("echo ' ' >> play/purchase.json")
        #expect(try runner.run("sh play/check.sh").code == 1)

        let trust = "--root samples/root.der --only-given-roots"
        for name in ["transaction", "renewal-info", "app-transaction"] {
            _ = try runner.run("verify-receipt explain samples/\(name).jws \(trust) --evidence \(name)")
            #expect(try runner.run("sh \(name)/check.sh").code == 0, "\(name)")
        }
        _ = try runner.run("verify-receipt explain samples/notification.json \(trust) --evidence note")
        #expect(try runner.run("sh note/check.sh").code == 0)
        _ = try runner.run("rm note/signedTransactionInfo/check.sh")
        #expect(try runner.run("sh note/check.sh").code == 1)

        let local = try TestAuthority.makeLocalSigner()
        let certificate = try #require(Data(base64Encoded: local.header["x5c"]?.elements?.first?.text ?? ""))
        #expect(try check(local.sign(Self.payload()), root: [UInt8](certificate)).code == 0)
    }

    // MARK: Flaws

    @Test("the script rejects an invalid signature, an exchanged payload and the signature of another receipt")
    func signatures() throws {
        let authority = try TestAuthority()
        let genuine = try authority.signer.sign(Self.payload())
        let other = try authority.signer.sign(Self.payload("other"))
        #expect(try check(genuine, root: authority.rootCertificate).code == 0)
        let (mine, others) = (Self.segments(genuine), Self.segments(other))
        for jws in ["\(mine[0]).\(others[1]).\(mine[2])", "\(mine[0]).\(mine[1]).\(others[2])"] {
            let outcome = try check(jws, root: authority.rootCertificate)
            #expect(outcome.code == 1)
            #expect(outcome.output.last == "FAIL  openssl dgst -sha256 -verify does not accept it")
        }
    }

    @Test("the script rejects an expired leaf, a missing marker, a root that is not trusted, and a forged chain")
    func certificates() throws {
        let authority = try TestAuthority()
        var expired = CertificateShape.leaf
        expired.notAfter = Timestamp(clamping: 1_740_000_000_000)
        var unmarked = CertificateShape.leaf
        unmarked.rawExtensions = []
        var foreign = CertificateShape.leaf
        foreign.isSignedByStranger = true
        let cases: [(TestSigner, [UInt8], String)] = [
            (
                try authority.makeSigner(leaf: expired), authority.rootCertificate,
                "FAIL  leaf.pem is not valid at that time"
            ),
            (
                try authority.makeSigner(leaf: foreign), authority.rootCertificate,
                "FAIL  leaf.pem is not signed by the key of intermediate.pem"
            ),
            (
                try authority.makeSigner(leaf: unmarked), authority.rootCertificate,
                "FAIL  leaf.pem has no marker 1.2.840.113635.100.6.11.1"
            ),
            (
                authority.signer, try TestAuthority().rootCertificate,
                "FAIL  no trusted root has the name and key of the last certificate"
            ),
        ]
        for (signer, root, message) in cases {
            let outcome = try check(signer.sign(Self.payload()), root: root)
            #expect(outcome.code == 1)
            #expect(outcome.output.last == message)
        }
    }

    @Test(
        "the script rejects files that are not the receipt's",
        arguments: [
            "printf x >> payload.json", "printf x >> signing-input.bin", "cp intermediate.pem leaf.pem",
            "cp root.pem intermediate.pem",
            "openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout > leaf-public-key.pem",
            "cp intermediate.pem trusted-root.pem", "rm trusted-root.pem", "rm signature.der",
        ])
    func files(change: String) throws {
        _ = try runner.run(
            "verify-receipt explain samples/transaction.jws --root samples/root.der --only-given-roots --evidence e")
        #expect(try runner.run("sh e/check.sh").code == 0)
        _ = try runner.run("cd e && { \(change); }")
        #expect(try runner.run("sh e/check.sh").code == 1)
    }

    @Test("the script trusts neither the system's certificates nor a second one in a file")
    func strangers() throws {
        let (authority, stranger) = (try TestAuthority(), try TestAuthority())
        try Data(stranger.rootCertificate).write(to: runner.folder.appending(path: "stranger.der"))
        _ = try runner.run(
            "openssl x509 -inform DER -in stranger.der -out stranger.pem; mkdir store; "
                + "cp stranger.pem store/$(openssl x509 -in stranger.pem -noout -hash).0")
        // A stranger's leaf and intermediate before the genuine root.
        let chain = stranger.signer.chain.dropLast() + [authority.rootCertificate]
        let header: JSONObject = [
            "alg": .string("ES256"), "x5c": .array(chain.map { .string(Data($0).base64EncodedString()) }),
        ]
        let forged = try stranger.signer.sign(
            header: [UInt8](header.description.utf8), payload: [UInt8](Self.payload("forged").description.utf8))
        #expect(try check(String(decoding: forged, as: UTF8.self), root: authority.rootCertificate).code == 1)
        for place in ["SSL_CERT_DIR=$PWD/store", "SSL_CERT_FILE=$PWD/stranger.pem"] {
            let outcome = try runner.run("\(place) sh e/check.sh")
            #expect(outcome.code == 1)
            #expect(outcome.output.last == "FAIL  intermediate.pem is not signed by the key of trusted-root.pem")
        }
        _ = try runner.run("cat stranger.pem >> e/trusted-root.pem")
        let outcome = try runner.run("sh e/check.sh")
        #expect(outcome.code == 1)
        #expect(outcome.output.last == "FAIL  trusted-root.pem is not exactly one certificate")
    }

    @Test("the script rejects a leaf that is a CA, and one that may not sign")
    func roles() throws {
        let authority = try TestAuthority()
        var (issuing, agreeing) = (CertificateShape.leaf, CertificateShape.leaf)
        issuing.isCA = true
        agreeing.keyUsages = ["keyAgreement"]
        for (leaf, message) in [(issuing, "FAIL  leaf.pem is a CA"), (agreeing, "FAIL  leaf.pem may not sign")] {
            let outcome = try check(
                try authority.makeSigner(leaf: leaf).sign(Self.payload()), root: authority.rootCertificate)
            #expect(outcome.code == 1)
            #expect(outcome.output.last == message)
        }
    }

    @Test("the script belongs to one receipt, and a notification's to the receipts in it")
    func bindings() throws {
        let trust = "--root samples/root.der --only-given-roots"
        _ = try runner.run(
            "verify-receipt explain samples/notification.json \(trust) --evidence n; "
                + "verify-receipt explain samples/transaction.jws \(trust) --evidence t; "
                + "verify-receipt explain samples/renewal-info.jws \(trust) --evidence r")
        #expect(
            try runner.run("cp r/receipt.jws t; sh t/check.sh").output.last == "FAIL  receipt.jws has another SHA-256")
        _ = try runner.run("rm -r n/signedTransactionInfo; cp -r r n/signedTransactionInfo")
        #expect(try runner.run("sh n/check.sh").output.last == "FAIL  it has another SHA-256")
    }

    @Test("the script checks its own folder, and says what it does not check and what the tool has said")
    func words() throws {
        let trust = "--root samples/root.der --only-given-roots"
        _ = try runner.run(
            "verify-receipt explain samples/transaction.jws \(trust) -b other.app --evidence e; "
                + "mkdir -p elsewhere/e; cp e/check.sh elsewhere/e")
        let outcome = try runner.run("CDPATH=$PWD/elsewhere sh e/check.sh")
        #expect(outcome.code == 0)
        #expect(outcome.output.contains { $0.hasPrefix("the size, app, environment and product") })
        #expect(
            outcome.output.last == "When this script was written, verify-receipt said: unverified, bundle-id-mismatch")
    }

    @Test("the command that runs the script is quoted for a shell", arguments: ["-e", "a b", "it's", "$(touch x)"])
    func command(folder: String) throws {
        let word = "'" + folder.replacing("'", with: "'\\''") + "'"
        let written = try runner.run(
            "verify-receipt explain samples/transaction.jws --root samples/root.der --only-given-roots --evidence=\(word)"
        )
        let note = try #require(written.errorOutput.first { $0.contains("check them with: ") })
        let command = try #require(note.components(separatedBy: "check them with: ").last)
        #expect(try runner.run(command).code == 0)
        #expect(try runner.run("ls x").code != 0)
    }

    // MARK: Names

    @Test("a payload chooses no file names: only the known places of a notification have folders, with fixed names")
    func names() throws {
        let authority = try TestAuthority()
        try Data(authority.rootCertificate).write(to: runner.folder.appending(path: "root.der"))
        let transaction = JSONValue.string(try authority.signer.sign(Self.payload()))
        let long = "signed" + String(repeating: "x", count: 300)
        let places: [(String, JSONObject)] = [
            ("data", ["signedTransactionInfo": transaction, "signedOther": transaction]),
            ("summary", ["signedTransactionInfo": transaction, "signed": transaction]),
            ("other", [long: transaction, "signedRenewalInfo": transaction]),
        ]
        var notification: JSONObject = [
            "notificationType": .string("TEST"), "signedDate": .integer(1_750_000_000_000),
            "notificationUUID": .string("1"), "version": .string("2.0"),
        ]
        for (name, members) in places { notification[name] = .object(members) }
        for (payload, folders) in [(notification, ["signedTransactionInfo/"]), (Self.payload(), [])] {
            var payload = payload
            for (name, members) in places { payload[name] = .object(members) }
            #expect(try check(authority.signer.sign(payload), root: authority.rootCertificate).code == 0)
            #expect(try runner.run("cd e && ls -d */").output == folders)
        }
    }

    @Test("the script of a JWS trusts Apple Root CA - G3, and not Apple Root CA, which signs app receipts only")
    func roots() throws {
        _ = try runner.run("verify-receipt explain samples/transaction.jws --root samples/root.der --evidence e")
        let appleRootCA = "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"
        #expect(try runner.run("grep -c \(appleRootCA) e/check.sh").output == ["0"])
        #expect(try runner.run("grep -c 63343abfb89a6a03 e/check.sh").output == ["1"])
    }

    // MARK: Use

    @Test("a file, a link, a broken link and a folder that another process has made are left alone")
    func occupied() throws {
        let line = "verify-receipt explain samples/transaction.jws --root samples/root.der --only-given-roots"
        _ = try runner.run("mkdir d; echo kept > f; ln -s d l; ln -s nothing b; mkfifo p")
        for name in ["d", "f", "l", "b", "p", "d/", "l/", "./d/../f"] {
            let outcome = try runner.run("\(line) --evidence \(name)")
            #expect(outcome.code == 2, "\(name)")
            #expect(outcome.errorOutput.contains { $0.contains("already exists") }, "\(outcome.errorOutput)")
        }
        #expect(try runner.run("ls -A d; cat f; readlink l b").output == ["kept", "d", "nothing"])
        // Of several processes at once, one writes the folder.
        // The end of the pipe is the end of all of them; the shell of the tests cannot wait for them.
        let race = "for i in 1 2 3 4; do { \(line) --evidence e >/dev/null 2>&1; echo $?; } & done | cat"
        #expect(try runner.run(race).output.sorted() == ["0", "2", "2", "2"])
        #expect(try runner.run("sh e/check.sh").code == 0)
        #expect(try runner.run("find e ! -perm 700 ! -perm 600; find e -name '*.tmp'").output == [])
    }

    @Test("an existing folder, several receipts and an input without a signature are refused, and nothing is written")
    func refused() throws {
        let trust = "--root samples/root.der --only-given-roots"
        _ = try runner.run("mkdir e")
        for (line, error) in [
            ("samples/transaction.jws \(trust)", "e already exists"),
            ("samples/transaction.jws samples/renewal-info.jws \(trust)", "--evidence takes one receipt"),
            ("samples/play-purchase.json", "there is no evidence to write"),
            ("$(echo nothing > n; echo n)", "there is no evidence to write"),
        ] {
            let outcome = try runner.run("verify-receipt explain \(line) --evidence e")
            #expect(outcome.code == 2, "\(line)")
            #expect(outcome.errorOutput.contains { $0.contains(error) }, "\(line): \(outcome.errorOutput)")
            #expect(try runner.run("ls -A e").output == [])
        }
    }

    @Test("a JWS whose signature has not 64 bytes keeps its verdict, and the reason why it has no evidence is given")
    func incompleteSignature() throws {
        let authority = try TestAuthority()
        let parts = Self.segments(try authority.signer.sign(Self.payload()))
        try Data(authority.rootCertificate).write(to: runner.folder.appending(path: "root.der"))
        for signature in [parts[2].dropLast(2), parts[2].prefix(4), "", parts[2] + "AAAA"] {
            try write("\(parts[0]).\(parts[1]).\(signature)", "r")
            let outcome = try runner.run("verify-receipt explain r --root root.der --only-given-roots --evidence e")
            #expect(outcome.code == 1, "\(outcome.errorOutput)")
            #expect(try runner.run("test -e e").code == 1)
            #expect(outcome.errorOutput.contains { $0.contains("there is no evidence to write") })
        }
    }

    @Test(
        "a purchase whose signature has white space or no padding has evidence, which the script accepts",
        arguments: ["tr -d =", "sed 's/[^/]\\{20\\}/& /g'", "tr '+/' '-_'"])
    func looseSignature(change: String) throws {
        let lines = try runner.run("cat samples/play-purchase.json").output
        let purchase = try JSONSerialization.jsonObject(with: Data(lines.joined(separator: "\n").utf8))
        let members = try #require(purchase as? [String: String])
        let data = try #require(members["data"] ?? members["originalJson"])
        let signature = try #require(members["signature"])
        try write("\(signature)\n", "s")
        let changed = try runner.run("\(change) < s").output.joined()
        try #require(changed != signature || !signature.hasSuffix("="))
        let object = try JSONSerialization.data(withJSONObject: ["data": data, "signature": changed])
        try write(String(decoding: object, as: UTF8.self), "p.json")
        let written = try runner.run(
            "verify-receipt explain p.json --play-key com.example.app=samples/play-key.txt --evidence play")
        #expect(written.code == 0, "\(written.errorOutput)")
        #expect(!written.output.contains { $0.contains("not base64") })
        #expect(try runner.run("sh play/check.sh").code == 0)
        #expect(try runner.run("cat play/signature.txt").output == [signature])
    }
}
