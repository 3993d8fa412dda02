import Foundation
import ReceiptTypes
import ReceiptVerification
import Testing
import TranscriptSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Processes that start with one key cache at the same time, or that are killed while they do.
@Suite("First starts with a key cache [CARD-3]")
struct FirstStartTests {
    /// What is in the folders before the first start.
    enum Beginning: String, CaseIterable, Sendable {
        case nothing, emptyKey, otherVersion

        func prepare(_ folder: FirstStartFolder) throws {
            switch self {
            case .nothing: break
            case .emptyKey:
                try PrivateFile.makeFolder(folder.state)
                try PrivateFile.create(folder.sealingKey, [])
            case .otherVersion:
                try PrivateFile.create(folder.cache, [UInt8]("RVKCACHE".utf8) + [1] + [UInt8](repeating: 7, count: 99))
            }
        }
    }

    /// Runs a first start in this process, with `body` before the operation of this number on the file system.
    ///
    /// Returns the number of operations.
    private func firstStart(
        in folder: FirstStartFolder, interruptedAt number: Int, by body: @escaping @Sendable () -> Void
    ) throws -> Int {
        let count = Locked(0)
        let step: PrivateFolder.Step = {
            let isReached = count.withLock { count in
                count += 1
                return count == number
            }
            if isReached { body() }
        }
        let key = try SealingKey.loadOrCreate(inStateFolder: folder.state, step: step)
        let file = VerificationKeyFile(folder.cache, step: step)
        let cache = VerificationKeyCache()
        _ = cache.load(from: file, sealingKey: key)
        // The tool trusts these as well, and a key belongs to one set of roots.
        var anchors = TrustAnchors.apple
        try anchors.add([UInt8](try Data(contentsOf: FirstStartFolder.samples.appendingPathComponent("root.der"))))
        let jws = try String(
            contentsOf: FirstStartFolder.samples.appendingPathComponent("transaction.jws"), encoding: .utf8)
        let verifier = ReceiptVerifier(trustAnchors: anchors, keyCache: cache)
        let report = verifier.verify(.jws([UInt8](jws.trimmingCharacters(in: .whitespacesAndNewlines).utf8)))
        #expect(report.verdict == .verified)
        try cache.save(to: file, sealingKey: key)
        return count.withLock { $0 }
    }

    @Test(
        "a second process that runs to its end between two file operations succeeds, and both use one key",
        arguments: Beginning.allCases)
    func interleavedStarts(beginning: Beginning) throws {
        var number = 0
        var count = 1
        while number < count {
            number += 1
            let folder = try FirstStartFolder()
            try beginning.prepare(folder)
            let end = Locked<FirstStartFolder.End?>(nil)
            let keyOfOther = Locked<[UInt8]?>(nil)
            count = try firstStart(in: folder, interruptedAt: number) {
                let run = try? folder.run()
                let key = try? PrivateFile.read(folder.sealingKey, maximumCount: 100)
                end.withLock { $0 = run }
                keyOfOther.withLock { $0 = key }
            }
            let other = end.withLock { $0 }
            #expect(other?.code == 0, "operation \(number): \(other?.messages ?? "")")
            // The key that the second process has used stays; without one, it has verified without the key cache.
            if let key = keyOfOther.withLock({ $0 }), key.count == 32 {
                #expect(try PrivateFile.read(folder.sealingKey, maximumCount: 100) == key, "operation \(number)")
            }
            try folder.checkOneKey("operation \(number)", isComplete: true)
        }
        #expect(count > 20)
    }

    @Test(
        "after a process was killed between two file operations, the next start succeeds", arguments: Beginning.allCases
    )
    func crashes(beginning: Beginning) throws {
        var number = 0
        var count = 1
        while number < count {
            number += 1
            let (folder, remains) = (try FirstStartFolder(), try FirstStartFolder(isCreated: false))
            try beginning.prepare(folder)
            count = try firstStart(in: folder, interruptedAt: number) { try? remains.copy(folder) }
            let next = try remains.run()
            #expect(next.code == 0, "operation \(number): \(next.messages)")
            try remains.checkOneKey("operation \(number)")
        }
    }

    /// FIRST_STARTS=1 runs as many processes as the requirement asks for.
    private static let isComplete = ProcessInfo.processInfo.environment["FIRST_STARTS"] == "1"

    @Test("of parallel first starts, all succeed", arguments: Beginning.allCases)
    func parallelStarts(beginning: Beginning) throws {
        for round in 0..<(Self.isComplete ? 20 : 1) {
            let folder = try FirstStartFolder()
            try beginning.prepare(folder)
            let processes = try (0..<(Self.isComplete ? 100 : 12)).map { _ in try folder.start() }
            for process in processes {
                process.waitUntilExit()
                #expect(process.terminationReason == .exit)
                #expect(process.terminationStatus == 0, "round \(round)")
            }
            try folder.checkOneKey("round \(round)", isComplete: true)
        }
    }

    #if os(Linux)
        @Test("after a process was killed in the middle of a first start, the next start succeeds")
        func kills() throws {
            var killed = 0
            for round in 0..<(Self.isComplete ? 20 : 1) {
                var (moment, hasEnded) = (0, false)
                while !hasEnded {
                    moment += 1
                    let folder = try FirstStartFolder()
                    try PrivateFile.makeFolder(folder.state)
                    let changes = try FolderChanges(of: [folder.path, folder.state])
                    let messages = Pipe()
                    let process = try folder.start(messages: messages)
                    hasEnded = try !changes.wait(moment, unlessClosed: messages.fileHandleForReading)
                    kill(process.processIdentifier, SIGKILL)
                    process.waitUntilExit()
                    if process.terminationReason == .uncaughtSignal { killed += 1 }
                    let next = try folder.run()
                    #expect(next.code == 0, "kill \(round).\(moment): \(next.messages)")
                    try folder.checkOneKey("kill \(round).\(moment)")
                }
            }
            if Self.isComplete { #expect(killed > 20) }
        }
    #endif

    @Test(
        "a user that is not root uses only its own files", .enabled(if: geteuid() == 0 && FirstStartFolder.canDropRoot))
    func otherUser() throws {
        let folder = try FirstStartFolder()
        #expect(unsafe chown(folder.path, 4711, 4711) == 0)
        #expect(try folder.run(as: 4711).code == 0)
        let second = try folder.run(as: 4711)
        #expect(second.messages.contains("hits 1, misses 0"), "\(second.messages)")
        // Root does not use the files of a user.
        let root = try folder.run()
        #expect(root.code == 2)
        #expect(root.messages.contains("can be changed by other users"))
        // Nor does a user use the files of another one, even in its own folder.
        #expect(unsafe chown(folder.cache, 4712, 4712) == 0)
        let third = try folder.run(as: 4711)
        #expect(third.code == 0)
        #expect(third.messages.contains("cache-untrusted"))
        #expect(unsafe chown(folder.sealingKey, 4712, 4712) == 0)
        let fourth = try folder.run(as: 4711)
        #expect(fourth.code == 0)
        #expect(fourth.messages.contains("sealing-key-replaced"))
    }
}

/// A temporary folder with a key cache and a state folder.
final class FirstStartFolder: Sendable {
    struct End: Sendable {
        let code: Int32
        let messages: String
    }

    static let samples = PackageFolder.url.appendingPathComponent("TestVectors/samples")
    private static let setpriv = "/usr/bin/setpriv"
    static let canDropRoot = FileManager.default.isExecutableFile(atPath: setpriv)

    let path = FileManager.default.temporaryDirectory.appendingPathComponent("first-\(UUID().uuidString)").path
    var cache: String { "\(path)/cache" }
    var state: String { "\(path)/state" }
    var sealingKey: String { "\(state)/\(SealingKey.fileName)" }

    init(isCreated: Bool = true) throws {
        if isCreated { try PrivateFile.makeFolder(path) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Copies what is in another folder now, as a process leaves it that is killed.
    func copy(_ other: FirstStartFolder) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = ["-a", other.path, path]
        try process.run()
        process.waitUntilExit()
    }

    /// Starts the tool with the key cache.
    func start(as user: Int? = nil, messages: Any = FileHandle.nullDevice) throws -> Process {
        let tool = try BuiltTool.verifyReceipt.path
        let process = Process()
        let prefix = user.map { [Self.setpriv, "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
        let command =
            prefix + [
                tool, "--verbose", Self.samples.appendingPathComponent("transaction.jws").path,
                "--root", Self.samples.appendingPathComponent("root.der").path,
                "--bundle-id", "com.example.app", "--environment", "Production",
                "--key-cache", cache, "--state-dir", state,
            ]
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = messages
        try process.run()
        return process
    }

    /// Runs the tool with the key cache to its end.
    func run(as user: Int? = nil) throws -> End {
        let pipe = Pipe()
        let process = try start(as: user, messages: pipe)
        let messages = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return End(code: code, messages: String(decoding: messages, as: UTF8.self))
    }

    /// Checks that the files belong together and that no earlier key is left: a start loads the key from the cache.
    ///
    /// - Parameter isComplete: Whether a start has ended, so that the next one finds the key. All starts use one key if
    ///   the cache of the last one can be opened with the sealing key of the first one.
    func checkOneKey(_ comment: String, isComplete: Bool = false) throws {
        if !isComplete { _ = try run() }
        let last = try run()
        #expect(last.code == 0, "\(comment)")
        #expect(last.messages.hasPrefix("verify-receipt: key cache: stored 1, hits 1, misses 0"), "\(comment): \(last)")
        #expect(try PrivateFile.read(sealingKey, maximumCount: 100)?.count == 32, "\(comment)")
        #expect(try !PrivateFile.exists("\(cache).key"), "\(comment)")
    }
}
