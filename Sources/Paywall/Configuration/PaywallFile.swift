internal import PurchaseCore
internal import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The port to a file that keeps a few bytes across launches.
public protocol PaywallFile: Sendable {
    /// Returns the bytes; nil if nothing was written yet.
    func read() async throws -> [UInt8]?

    /// Replaces the bytes. If the process is killed, the file has either the old or the new bytes.
    func write(_ bytes: [UInt8]) async throws
}

/// A file in a folder of the app, replaced as a whole with each write.
public struct PaywallDiskFile: PaywallFile {
    /// The largest file in bytes that is read.
    public static let maximumSize = 1_048_576

    private let path: String

    /// Creates the port to a file; its folder must exist.
    public init(path: String) {
        self.path = path
    }

    /// Returns the bytes; nil if there is no file.
    @concurrent
    public func read() async throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        guard size <= Self.maximumSize else {
            throw DocumentError(
                .tooLarge, at: path, expected: "at most \(Self.maximumSize) bytes", found: "\(size) bytes")
        }
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Writes the bytes beside the file, and moves them to its place.
    @concurrent
    public func write(_ bytes: [UInt8]) async throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}

/// A file in memory, for previews and tests.
public actor InMemoryPaywallFile: PaywallFile {
    private var bytes: [UInt8]?

    /// Creates a file with some bytes; without an argument, one to which nothing was written.
    public init(_ bytes: [UInt8]? = nil) {
        self.bytes = bytes
    }

    /// Returns the bytes.
    public func read() -> [UInt8]? { bytes }

    /// Replaces the bytes.
    public func write(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A file whose calls have a deadline, and which is written by one call at a time.
final class BoundedFile: Sendable {
    private let file: any PaywallFile
    private let timer: any PurchaseTimer
    private let latestWrite = Locked<Task<Void, any Error>?>(nil)

    private static let deadline: Int64 = 10_000

    init(file: any PaywallFile, timer: any PurchaseTimer) {
        self.file = file
        self.timer = timer
    }

    func read() async throws(DocumentError) -> [UInt8]? {
        try await answer { [file] in try await file.read() }
    }

    func write(_ bytes: [UInt8]) async throws(DocumentError) {
        try await answer { [self] in
            let call = latestWrite.withLock { latest in
                let call = Task { [file, latest] in
                    // A call that has missed its deadline can still replace the file, so later bytes wait for its end.
                    _ = await latest?.result
                    try await file.write(bytes)
                }
                latest = call
                return call
            }
            try await withTaskCancellationHandler {
                try await call.value
            } onCancel: {
                call.cancel()
            }
        }
    }

    private func answer<Value: Sendable>(
        _ call: @escaping @Sendable () async throws -> Value
    ) async throws(DocumentError) -> Value {
        // Not cancelled with the caller: a screen that goes away must not lose what is written.
        switch await timer.result(within: Self.deadline, isCancellable: false, of: call) {
        case .success(let value)?: return value
        case .failure(let error)?:
            throw DocumentError(
                .unavailable, at: "the file", expected: "an answer", found: "an error: \(error)", underlying: error)
        case nil:
            throw DocumentError(
                .unavailable, at: "the file", expected: "an answer within \(Self.deadline) ms", found: "none")
        }
    }
}

/// Writes documents to a file by a task of its own, so that no session waits for the disk.
@MainActor
final class DocumentWriter {
    private let file: BoundedFile
    private let log: any PurchaseLog
    private let failureKind: PurchaseLogEvent.Kind
    /// The document that the file lacks; only the latest one is written.
    private var unwritten: [UInt8]?
    private var writing: Task<Void, Never>?

    init(_ file: BoundedFile, reportingTo log: any PurchaseLog, as failureKind: PurchaseLogEvent.Kind) {
        self.file = file
        self.log = log
        self.failureKind = failureKind
    }

    func write(_ document: [UInt8]) {
        unwritten = document
        guard writing == nil else { return }
        writing = Task {
            while let document = self.unwritten.take() {
                do throws(DocumentError) {
                    try await self.file.write(document)
                } catch {
                    self.log.log(PurchaseLogEvent(self.failureKind, detail: error.description))
                }
            }
            self.writing = nil
        }
    }

    /// Returns when every document is in the file or has failed; one that has missed the deadline can still arrive.
    func flush() async { await writing?.value }
}
