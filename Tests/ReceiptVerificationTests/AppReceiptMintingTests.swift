import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

/// The authority of app receipts that the tests share, with contents of a receipt.
enum AppReceiptFixture {
    static let authority: AppReceiptAuthority? = try? AppReceiptAuthority()
    static let createdAt = Timestamp(rfc3339: "2023-12-26T18:39:47Z") ?? .minimum

    /// Returns the contents of a sandbox receipt with some renewals of a subscription.
    static func receipt(purchases: Int = 2) throws -> AppReceipt {
        var receipt = AppReceipt()
        receipt.receiptType = .sandbox
        receipt.appAppleId = 0
        receipt.bundleId = "com.example.app"
        receipt.applicationVersion = "2"
        receipt.receiptCreationDate = createdAt
        receipt.originalPurchaseDate = Timestamp(rfc3339: "2013-08-01T07:00:00Z")
        receipt.originalApplicationVersion = "1.0"
        receipt.inApp = (0..<purchases).map { number in
            var purchase = AppReceiptPurchase()
            purchase.productId = "com.example.app.pro"
            purchase.productType = .autoRenewableSubscription
            purchase.transactionId = "\(2_000_000_000_000_000 + number)"
            purchase.originalTransactionId = "2000000000000000"
            purchase.purchaseDate = createdAt
            purchase.originalPurchaseDate = createdAt
            purchase.expiresDate = createdAt
            return purchase
        }
        var generator = SplitMix64(seed: 7)
        try receipt.complete(using: &generator)
        try receipt.bind()
        return receipt
    }
}

@Suite("App receipts of a test authority")
struct AppReceiptMintingTests {
    private static let genuine = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/realdata/receipts")

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "app-receipts-\(UUID())").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    /// Runs the openssl command on bytes in a file; returns its exit code, its output and its messages.
    private func openssl(
        _ bytes: [UInt8], _ arguments: String..., root: [UInt8]? = nil
    ) throws -> (
        code: Int32, output: [UInt8], messages: String
    ) {
        var outcome: (Int32, [UInt8], String) = (-1, [], "")
        try withFolder { folder in
            try Data(bytes).write(to: URL(filePath: "\(folder)/receipt"))
            var arguments = arguments + ["-inform", "DER", "-in", "\(folder)/receipt"]
            if let root {
                let pem = PEM.encode(root, label: "CERTIFICATE")
                try pem.write(toFile: "\(folder)/root.pem", atomically: true, encoding: .utf8)
                arguments += ["-CAfile", "\(folder)/root.pem"]
            }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments
            let (output, messages) = ("\(folder)/output", "\(folder)/messages")
            for path in [output, messages] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
            process.standardError = try FileHandle(forWritingTo: URL(filePath: messages))
            try process.run()
            process.waitUntilExit()
            outcome = (
                process.terminationStatus, [UInt8](FileManager.default.contents(atPath: output) ?? Data()),
                try String(contentsOfFile: messages, encoding: .utf8)
            )
        }
        return outcome
    }

    private func cms(
        _ receipt: [UInt8], root: [UInt8], at time: Timestamp = AppReceiptFixture.createdAt
    ) throws -> (
        code: Int32, output: [UInt8], messages: String
    ) {
        try openssl(
            receipt, "cms", "-verify", "-binary", "-purpose", "any", "-auth_level", "0", "-attime",
            "\(time.secondsSince1970)", root: root)
    }

    // MARK: OpenSSL

    @Test(
        "openssl cms -verify accepts receipts of each form under the root, and gives out their attributes",
        arguments: AppReceiptAuthority.Form.allCases)
    func opensslAgrees(form: AppReceiptAuthority.Form) throws {
        let authority = try #require(AppReceiptFixture.authority)
        let signer = try authority.signer(form)
        let contents = TestAppReceipt(try AppReceiptFixture.receipt())
        let receipt = try signer.sign(contents)
        #expect(signer.chain.last == authority.rootCertificate || form == .xcode)
        let root = try #require(signer.chain.last)
        let outcome = try cms(receipt, root: root)
        #expect(outcome.code == 0, "\(outcome.messages)")
        #expect(outcome.output == (try contents.encoded(isSorted: form != .xcode)))

        var changed = receipt
        let place = try #require(receipt.firstRange(of: [UInt8]("com.example.app".utf8))).lowerBound
        changed[place] ^= 1
        #expect(try cms(changed, root: root).code != 0)
        let stranger = try authority.makeStranger().signer(form)
        #expect(try cms(receipt, root: try #require(stranger.chain.last)).code != 0)
        let late = try #require(Timestamp(rfc3339: "2045-01-01T00:00:00Z"))
        #expect(try cms(receipt, root: root, at: late).messages.contains("certificate has expired"))
    }

    /// Returns the lines of `openssl asn1parse` without places, lengths and values, but with the names of OIDs.
    private func structure(_ container: [UInt8]) throws -> [String] {
        let outcome = try openssl(container, "asn1parse")
        #expect(outcome.code == 0, "\(outcome.messages)")
        return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map { line in
            guard let match = line.firstMatch(of: /d=(\d+) .*?(cons|prim): ([^:]*)(.*)/) else { return String(line) }
            let tag = match.3.trimmingCharacters(in: .whitespaces)
            return "\(match.1) \(match.2) \(tag)\(tag == "OBJECT" ? "\(match.4)" : "")"
        }
    }

    @Test(
        "openssl asn1parse shows the same structure for a receipt of each form and a genuine one, certificates included",
        .enabled(
            if: FileManager.default.fileExists(atPath: genuine.path()), "genuine app receipts are beside the package"),
        arguments: [
            (AppReceiptAuthority.Form.sha1, "sandbox-2015-sha1.der"), (.sha256, "sandbox-2025-sha256.b64"),
            (.xcode, "xcode-2023.b64"),
        ])
    func structureIsGenuine(form: AppReceiptAuthority.Form, name: String) throws {
        var bytes = [UInt8](try Data(contentsOf: Self.genuine.appending(path: name)))
        if name.hasSuffix(".b64") {
            let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
            bytes = try #require(Base64.standard.decode(text))
        }
        let authority = try #require(AppReceiptFixture.authority)
        let minted = try authority.signer(form).sign(TestAppReceipt(try AppReceiptFixture.receipt()))
        let expected = try structure(bytes)
        #expect(expected.count > 80)
        #expect(try structure(minted) == expected)
        guard form == .sha256 else { return }
        let genuineAttributes = try attributes(of: bytes)
        let attributes = try attributes(of: minted)
        #expect(genuineAttributes.count > 30)
        #expect(attributes == genuineAttributes)
    }

    /// The number, the version and the encoding of each attribute of a receipt and of its in-app purchases, sorted.
    private func attributes(of receipt: [UInt8]) throws -> Set<String> {
        let content = try openssl(receipt, "cms", "-verify", "-binary", "-noverify")
        #expect(content.code == 0, "\(content.messages)")
        var found: Set<String> = []
        try addAttributes(of: content.output, to: &found)
        return found
    }

    private func addAttributes(of set: [UInt8], to found: inout Set<String>) throws {
        let text = String(decoding: try openssl(set, "asn1parse").output, as: UTF8.self)
        var numbers: [Substring] = []
        for line in text.split(separator: "\n") {
            if let number = line.firstMatch(of: /INTEGER +:([0-9A-F]+)/) { numbers.append(number.1) }
            guard let value = line.firstMatch(of: /OCTET STRING +\[HEX DUMP\]:([0-9A-F]+)/) else { continue }
            let (type, version) = (numbers[numbers.count - 2], numbers[numbers.count - 1])
            // The values of these attributes are bytes without an encoding.
            let isOpaque = ["04", "05", "06", "07"].contains(type)
            found.insert("\(type) \(version) \(isOpaque ? "bytes" : value.1.prefix(2))")
            if type == "11" {
                try addAttributes(of: try #require(Hexadecimal.decode("\(value.1)".lowercased())), to: &found)
            }
        }
    }

    // MARK: Verification

    @Test(
        "a receipt of each form verifies under the root, with the values that it was made from",
        arguments: AppReceiptAuthority.Form.allCases)
    func receiptsVerify(form: AppReceiptAuthority.Form) throws {
        let signer = try #require(AppReceiptFixture.authority).signer(form)
        var contents = try AppReceiptFixture.receipt()
        if form == .xcode { contents.receiptType = .xcode }
        var anchors = TrustAnchors()
        try anchors.add(try #require(signer.chain.last))
        let verifier = ReceiptVerifier(
            trustAnchors: anchors, clock: { AppReceiptFixture.createdAt.adding(milliseconds: 1000) })
        let receipt = try signer.sign(TestAppReceipt(contents))
        let result = verifier.verifyAppReceipt(receipt)
        let payload = try #require(result.verifiedPayload, "\(String(describing: result.failure))")
        for attribute in AppReceiptAttribute.ofReceipts where attribute != .inApp {
            #expect(payload.members[attribute.name] == contents.members[attribute.name], "\(attribute.name)")
        }
        #expect(payload.inApp?.count == 2)
        #expect(Set(payload.inApp?.map(\.transactionId) ?? []) == Set(contents.inApp?.map(\.transactionId) ?? []))
        #expect(payload.inApp?.first?.expiresDate == AppReceiptFixture.createdAt)
    }

    // MARK: Contents

    @Test("members of other JSON types and numbered members become attributes, and null leaves one out")
    func membersBecomeAttributes() throws {
        let contents = TestAppReceipt(
            AppReceipt(
                members: [
                    "bundleId": .integer(7), "appAppleId": .string("x"), "26": .integer(5), "27": .string("a"),
                    "ageRating": .null, "receiptCreationDate": .integer(1_703_615_987_999),
                    "greeting": .string("hello"),
                    "expirationDate": .string("soon"), "opaqueValue": .string("AQI="),
                    "inApp": .array([.object(["quantity": .integer(2), "1799": .boolean(true)]), .object([:])]),
                    "unknownAttributes": .array([
                        .object(["type": .integer(6), "version": .integer(3), "value": .string("/w==")])
                    ]),
                ]))
        #expect(
            contents.attributes == [
                .init(2, .integer(7)), .init(1, .text("x")), .init(26, .integer(5)), .init(27, .text("a")),
                .init(12, .date(Timestamp(clamping: 1_703_615_987_999))), .init(21, .asciiText("soon")),
                .init(4, version: 2, .bytes([1, 2])),
                .init(17, .attributes([.init(1701, .integer(2)), .init(1799, .integer(1))])),
                .init(17, .attributes([])),
                .init(6, version: 3, .bytes([0xFF])),
            ])
        let date = try TestAppReceipt.Value.date(Timestamp(clamping: 1_703_615_987_999)).encoded(isSorted: true)
        #expect(date == [0x16, 20] + [UInt8]("2023-12-26T18:39:47Z".utf8))
    }

    @Test("attributes are sorted by their encoding as DER requires, and a local signer leaves their order")
    func attributesAreSorted() throws {
        let receipt = TestAppReceipt(attributes: [.init(3, .text("long")), .init(2, .text("b")), .init(2, .text("a"))])
        let attributes: [[UInt8]] = [
            [0x30, 14, 2, 1, 3, 2, 1, 1, 4, 6, 12, 4] + [UInt8]("long".utf8),
            [0x30, 11, 2, 1, 2, 2, 1, 1, 4, 3, 12, 1] + [UInt8]("b".utf8),
            [0x30, 11, 2, 1, 2, 2, 1, 1, 4, 3, 12, 1] + [UInt8]("a".utf8),
        ]
        #expect(try receipt.encoded(isSorted: false) == [0x31, 42] + attributes.joined())
        #expect(try receipt.encoded(isSorted: true) == [0x31, 42] + attributes.reversed().joined())
        let authority = try #require(AppReceiptFixture.authority)
        let orders = try AppReceiptAuthority.Form.allCases.map { try authority.signer($0).container.isSorted }
        #expect(orders == [true, true, false])
    }

    @Test("the device hash is the SHA-1 of the device ID, the opaque value and the bundle ID as encoded")
    func deviceHashIsThatOfApple() throws {
        var receipt = TestAppReceipt(attributes: [.init(4, .bytes([1, 2, 3])), .init(2, .text("ab"))])
        let deviceID = [UInt8](0..<16)
        try receipt.bind(toDevice: deviceID)
        let message = deviceID + [1, 2, 3, 0x0C, 2] + [UInt8]("ab".utf8)
        #expect(receipt[5] == .bytes(try HashAlgorithm.sha1.digest(of: message)))
        #expect(
            Hexadecimal.encode(try HashAlgorithm.sha1.digest(of: [UInt8]("abc".utf8)))
                == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    // MARK: Keys

    @Test("an authority in a folder signs the same bytes after it is loaded, and its keys are private")
    func filesAreLoadedAndPrivate() throws {
        try withFolder { folder in
            #expect(try AppReceiptAuthority.load(from: folder) == nil)
            let authority = try AppReceiptAuthority.loadOrCreate(in: folder)
            let keys = "\(folder)/\(AppReceiptAuthority.keysFileName)"
            let root = "\(folder)/\(AppReceiptAuthority.rootFileName)"
            #expect(try FileManager.default.attributesOfItem(atPath: keys)[.posixPermissions] as? Int == 0o600)
            #expect(FileManager.default.contents(atPath: root) == Data(authority.rootCertificate))
            let contents = TestAppReceipt(try AppReceiptFixture.receipt())
            let receipt = try authority.signer(.sha1).sign(contents)
            #expect(try AppReceiptAuthority.loadOrCreate(in: folder).signer(.sha1).sign(contents) == receipt)

            // A lost root is the same again.
            try FileManager.default.removeItem(atPath: root)
            #expect(try AppReceiptAuthority.load(from: folder)?.rootCertificate == authority.rootCertificate)
            #expect(FileManager.default.contents(atPath: root) == Data(authority.rootCertificate))

            try PrivateFile.replace(root, authority.makeStranger().rootCertificate)
            let error = #expect(throws: FileError.self) { try AppReceiptAuthority.load(from: folder) }
            #expect(error?.code == .mismatched)
            #expect(error?.path == root)
        }
    }

    @Test("keys of app receipts that cannot be used are reported with the reason")
    func unusableKeysAreNamed() throws {
        let rsa = PEM.encode(try #require(AppReceiptFixture.authority).keys.leaf.pkcs8(), label: "PRIVATE KEY")
        let curve = PEM.encode(try PrivateKey(generating: .p256).pkcs8(), label: "PRIVATE KEY")
        let cases: [(String, FileError.Code)] = [
            ("", .notAPrivateKey), ("no key", .notAPrivateKey), (rsa + rsa, .wrongKeyType),
            (rsa + rsa + curve, .wrongKeyType), (rsa + PEM.encode([0x30, 0], label: "PRIVATE KEY"), .notAPrivateKey),
            (PEM.encode([0x30, 0], label: "ENCRYPTED PRIVATE KEY"), .encryptedKey),
        ]
        try withFolder { folder in
            let path = "\(folder)/\(AppReceiptAuthority.keysFileName)"
            for (text, code) in cases {
                try PrivateFile.replace(path, [UInt8](text.utf8))
                let error = #expect(throws: FileError.self) { try AppReceiptAuthority.loadOrCreate(in: folder) }
                #expect(error?.code == code, "\(text)")
                #expect(error?.path == path)
            }
        }
    }
}
