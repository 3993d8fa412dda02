import Foundation
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing
import TranscriptSupport

@testable import PurchaseStorage

@Suite("Keys in the Keychain [OTP-9.1]", .timeLimit(.minutes(15)))
struct KeychainSealingKeysTests {
    private let keychain = MemoryKeychain()
    private var provider: KeychainSealingKeys { KeychainSealingKeys(keychain) }

    // MARK: Keys

    @Test("processes that need the first key at the same time get the same one")
    func firstKey() async throws {
        try await checkFirstKey(of: provider)
        #expect(keychain.items.keys.sorted() == ["1"])
    }

    @Test("a new key is current, and the key before it stays until it is forgotten")
    func rotation() async throws {
        try await checkRotation(of: provider)
        #expect(keychain.items.keys.sorted() == ["3"])
    }

    @Test("keys that processes make at the same time are all kept")
    func parallelKeys() async throws { try await checkParallelKeys(of: provider) }

    @Test("the latest of ten keys is the current one")
    func order() async throws {
        var keys = try await provider.keys()
        for _ in 0..<9 { keys = try await provider.makeKey() }
        #expect(keychain.items.keys.contains("10"))
        #expect(keys.current.bytes == keychain.items["10"])
        #expect(keys.earlier.map(\.bytes) == (1...9).reversed().compactMap { keychain.items["\($0)"] })
    }

    @Test("a sealed store keeps its values over rotations and starts of the app")
    func sealedStore() async throws {
        let fixture = try SealedStoreFixture()
        let store = try fixture.open(keys: provider)
        try await store.set([1], for: "one")
        try await store.rotateKey()
        #expect(keychain.items.keys.sorted() == ["2"])
        #expect(try await fixture.open(keys: provider).values() == ["one": [1]])
    }

    // MARK: Other processes

    /// What a process does while another one is within a call of the keychain.
    enum Intrusion: CaseIterable {
        /// It makes a key.
        case key
        /// It makes a key, seals the values with it, and deletes the earlier keys.
        case rotation
        /// It ends the rotation that it finds.
        case end
        /// It makes two keys, and deletes the keys before each of them.
        case twoRotations

        func callAsFunction(_ keychain: MemoryKeychain) throws {
            for _ in 0..<(self == .twoRotations ? 2 : 1) {
                let isEnd = self == .end
                let keys =
                    try isEnd ? KeychainSealingKeys.keys(in: keychain) : KeychainSealingKeys.makeKey(in: keychain)
                if self != .key { try KeychainSealingKeys.forget(keys.earlier, in: keychain) }
            }
        }
    }

    @Test(
        "a rotation by another process before any call keeps the key that the values are sealed with",
        arguments: Intrusion.allCases, [true, false])
    func intrusions(_ intrusion: Intrusion, isFirst: Bool) throws {
        var call = 0
        var isReached = true
        while isReached {
            call += 1
            let keychain = MemoryKeychain()
            if !isFirst { _ = try KeychainSealingKeys.makeKey(in: keychain) }
            let sealed = Locked<SealingKey?>(nil)
            keychain.interrupt(before: call) { keychain in
                try intrusion(keychain)
                let current = try KeychainSealingKeys.keys(in: keychain).current
                sealed.withLock { $0 = current }
            }
            let made = try KeychainSealingKeys.makeKey(in: keychain)
            isReached = keychain.endInterruption()
            let keys = try KeychainSealingKeys.keys(in: keychain)
            let all = [keys.current] + keys.earlier
            #expect(all.contains(made.current), "before call \(call)")
            if let sealed = sealed.withLock({ $0 }) { #expect(all.contains(sealed), "before call \(call)") }
            // Both processes have made one.
            if intrusion == .key, isReached { #expect(all.count == (isFirst ? 2 : 3), "before call \(call)") }
            // The next rotation loses none of them either.
            #expect(try KeychainSealingKeys.makeKey(in: keychain).earlier == all, "before call \(call)")
        }
        #expect(call > 4)
    }

    @Test("a process that is killed before any call leaves the old key or the new one as well")
    func crashes() throws {
        let old = try KeychainSealingKeys.keys(in: keychain).current
        let count = try keychain.callCount { _ = try KeychainSealingKeys.makeKey(in: $0) }
        for call in 1...count {
            let copy = MemoryKeychain(keychain.items)
            copy.interrupt(before: call) { _ in throw KeychainFailure.reported(-1) }
            #expect(throws: KeychainFailure.reported(-1)) { try KeychainSealingKeys.makeKey(in: copy) }
            let keys = try KeychainSealingKeys.keys(in: copy)
            #expect(keys.current == old || keys.earlier == [old])
        }
    }

    // MARK: Errors

    @Test("a locked keychain and each other failure is an error of its own, for every call, and nothing changes")
    func failures() async throws {
        let keys = try await provider.makeKey()
        let before = keychain.items
        let codes: [(KeychainFailure, SealedStoreError.Code)] = [
            (.locked, .keysLocked), (.notEntitled, .keysUnavailable), (.outOfMemory, .outOfResources),
            (.reported(-34), .keysUnavailable),
        ]
        for (failure, code) in codes {
            keychain.fail(with: failure)
            await #expect(throws: SealedStoreError(code, "")) { try await provider.keys() }
            await #expect(throws: SealedStoreError(code, "")) { try await provider.makeKey() }
            await #expect(throws: SealedStoreError(code, "")) { try await provider.forget([keys.current]) }
        }
        keychain.fail(with: nil)
        #expect(keychain.items == before)
        #expect(try await provider.keys() == keys)
    }

    @Test("an item that is no key is an error and stays", arguments: [("1", 0), ("1", 33), ("01", 32), ("first", 32)])
    func notAKey(name: String, count: Int) async throws {
        let keychain = MemoryKeychain([name: [UInt8](repeating: 7, count: count)])
        let provider = KeychainSealingKeys(keychain)
        await #expect(throws: SealedStoreError(.notAKey, "")) { try await provider.keys() }
        await #expect(throws: SealedStoreError(.notAKey, "")) { try await provider.makeKey() }
        #expect(keychain.items.keys.sorted() == [name])
    }

    @Test("a number without a successor ends the rotations and is an error")
    func lastNumber() async throws {
        let keychain = MemoryKeychain(["\(UInt64.max)": [UInt8](repeating: 7, count: 32)])
        let provider = KeychainSealingKeys(keychain)
        #expect(try await provider.keys().earlier.isEmpty)
        await #expect(throws: SealedStoreError(.full, "")) { try await provider.makeKey() }
    }

    @Test("two items of one number, and items that disappear again and again, are errors")
    func inconsistent() async throws {
        _ = try await provider.keys()
        keychain.listsTwice(true)
        await #expect(throws: SealedStoreError(.keysUnavailable, "")) { try await provider.keys() }
        keychain.listsTwice(false)
        keychain.hidesContents(true)
        await #expect(throws: SealedStoreError(.busy, "")) { try await provider.keys() }
    }

    // MARK: Apple's framework

    #if !canImport(Security)
        @Test("the module compiles without warnings against a stub of Apple's framework, whose items the adapter keeps")
        func adapter() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "security-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try PackageFolder.compileStubs(["Security"], of: "Tools/security-stub", into: folder, isLinked: true)
            let sources = try PackageFolder.swiftFiles(in: "Sources/PurchaseStorage").map(\.path)
            // The C modules of the target and of those that it imports.
            let moduleMap = PackageFolder.modules.deletingLastPathComponent().appending(
                path: "CReceiptCrypto.build/module.modulemap")
            let includes = ["CSQLite", "COpenSSL", "CJansson"].flatMap { ["-I", "Sources/\($0)"] }
            let messages = try PackageFolder.typeCheck(
                "PurchaseStorage", sources, stubs: folder,
                includes + ["-Xcc", "-fmodule-map-file=\(moduleMap.path())"])
            #expect(messages.isEmpty)

            let adapter = sources.filter {
                $0.hasSuffix("/AppleKeychain.swift") || $0.hasSuffix("/KeychainItems.swift")
            }
            #expect(adapter.count == 2)
            let program = folder.appending(path: "program").path()
            let build = try PackageFolder.run(
                ["swiftc", "-swift-version", "6", "-I", folder.path(), "-o", program] + PackageFolder.features + adapter
                    + ["Tools/security-stub/main.swift", folder.appending(path: "Security.o").path()])
            #expect(build.status == 0, "\(build.errors)")
            #expect(try PackageFolder.run([program]).output == Self.answers)
        }
    #endif

    /// What the adapter returns for an empty keychain, for two items, for an access group, and for each failure.
    private static let answers = """
        names of no item: []
        content of no item: none
        add 1: true
        add 1 again: false
        content of 1: [1, 2, 3]
        add 2: true
        content of 2: []
        names: ["1", "2"]
        names of another service: []
        names in another group: []
        add 3 to the group: true
        names in the group: ["3"]
        delete 2: ()
        delete 2 again: ()
        names without 2: ["1", "3"]
        names, -25308: locked
        content, -25308: locked
        add, -25308: locked
        delete, -25308: locked
        names, -25293: locked
        content, -25293: locked
        add, -25293: locked
        delete, -25293: locked
        names, -34018: notEntitled
        content, -34018: notEntitled
        add, -34018: notEntitled
        delete, -34018: notEntitled
        names, -108: outOfMemory
        content, -108: outOfMemory
        add, -108: outOfMemory
        delete, -108: outOfMemory
        names, -50: reported(-50)
        content, -50: reported(-50)
        add, -50: reported(-50)
        delete, -50: reported(-50)
        names as before: ["1", "3"]
        accessible as documented: true

        """
}
