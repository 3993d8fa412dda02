public import PurchaseCore
internal import ReceiptTypes

/// The port to the app's server, or to any other place with the current configuration.
public protocol RemoteConfigSource: Sendable {
    /// Returns the document in JSON; see ``RemoteConfig/init(json:)``.
    func remoteConfig() async throws -> [UInt8]
}

/// The configuration of the paywall: the latest good one, from the server, from the last launch, or the app's defaults.
///
/// A document that fails the check of its schema is logged and not used, so the configuration before it stays in force.
///
/// ```swift
/// let remoteConfig = RemoteConfigStore(
///     source: server, file: PaywallDiskFile(path: "\(folder)/paywall.json"),
///     views: PaywallViewCounter(file: PaywallDiskFile(path: "\(folder)/paywall-views.json")))
/// await remoteConfig.refresh()
/// ```
@MainActor
public final class RemoteConfigStore {
    /// The place that a configuration comes from.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The defaults of the app.
        case defaults
        /// The file, with the last good configuration of an earlier launch.
        case file
        /// The source, in this session.
        case source
    }

    /// The configuration in force.
    public private(set) var snapshot: RemoteConfig
    /// The place that ``snapshot`` comes from.
    public private(set) var origin = Origin.defaults
    /// The reason that ``snapshot`` is not the source's, or without a source not the file's; nil if it is.
    public private(set) var error: DocumentError?
    /// The paywalls that the customer has seen on this device.
    public let views: PaywallViewCounter

    private let source: (any RemoteConfigSource)?
    private let file: BoundedFile?
    private let writer: DocumentWriter?
    private let deadline: Int64
    private let log: any PurchaseLog
    private let timer: any PurchaseTimer
    private var running: Task<Void, Never>?

    /// Creates a store with the app's defaults; nothing is read until it is refreshed.
    ///
    /// - Parameters:
    ///   - source: The source of the current configuration.
    ///   - file: Keeps the last good configuration across launches.
    ///   - views: Counts the paywalls that the customer has seen; by default in memory only.
    ///   - defaults: The configuration until there is another one.
    ///   - deadline: The milliseconds within which the source has to answer.
    ///   - log: Receives an event for each document that is not used and each failure of the source and of the file.
    ///   - timer: Measures the deadlines.
    public init(
        source: (any RemoteConfigSource)? = nil,
        file: (any PaywallFile)? = nil,
        views: PaywallViewCounter? = nil,
        defaults: RemoteConfig = RemoteConfig(),
        deadline: Int64 = 10_000,
        log: any PurchaseLog = SilentLog(),
        timer: any PurchaseTimer = SystemTimer()
    ) {
        snapshot = defaults
        self.source = source
        let file = file.map { BoundedFile(file: $0, timer: timer) }
        self.file = file
        // A failure leaves the configuration in force, and the next launch begins with an older one.
        writer = file.map { DocumentWriter($0, reportingTo: log, as: .remoteConfigFailed) }
        self.views = views ?? PaywallViewCounter(file: nil)
        self.deadline = deadline
        self.log = log
        self.timer = timer
    }

    /// Returns the number of paywalls that the customer has seen on this device within the last seven days.
    public func localPaywallViews7d() -> Int { views.viewsWithinSevenDays() }

    /// Takes over the configuration of the source, or else of the file; concurrent calls share one refresh.
    ///
    /// It never fails: ``error`` says why the configuration is not the source's.
    public func refresh() async {
        if let running { return await running.value }
        let task = Task {
            await self.load()
            self.running = nil
        }
        running = task
        await task.value
    }

    private func load() async {
        await views.load()
        if origin == .defaults { await loadFile() }
        guard let source else { return }
        do throws(DocumentError) {
            let json = try await document(from: source)
            (snapshot, origin, error) = (try RemoteConfig(json: json), .source, nil)
            writer?.write(json)
        } catch {
            report(error)
        }
    }

    private func report(_ error: DocumentError) {
        self.error = error
        log.log(PurchaseLogEvent(.remoteConfigFailed, detail: error.description))
    }

    /// Returns when the configuration is in the file, or when the file has failed, which is logged.
    public func flush() async { await writer?.flush() }

    private func loadFile() async {
        do throws(DocumentError) {
            guard let json = try await file?.read() else { return }
            (snapshot, origin, error) = (try RemoteConfig(json: json), .file, nil)
        } catch {
            report(error)
        }
    }

    private func document(from source: any RemoteConfigSource) async throws(DocumentError) -> [UInt8] {
        switch await timer.result(within: deadline, of: { try await source.remoteConfig() }) {
        case .success(let json)?: return json
        case .failure(let error)?:
            throw DocumentError(
                .unavailable, expected: "an answer of the source", found: "an error: \(error)", underlying: error)
        case nil:
            throw DocumentError(
                .unavailable, expected: "an answer of the source within \(deadline) ms", found: "none")
        }
    }
}
