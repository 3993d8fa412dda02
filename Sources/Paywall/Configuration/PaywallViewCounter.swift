public import PurchaseCore
public import ReceiptTypes

/// Counts the paywalls that a customer has seen, across launches, for a window of the last seven days.
///
/// Setting the device's clock back takes no view out of the window and adds no time to it, as far as `ClockMarks` can
/// tell. A clock that once ran ahead does no lasting harm either: as soon as the store answers, it vouches for the
/// clock, and views in the future count from then on as views of that moment.
@MainActor
public final class PaywallViewCounter {
    /// The length of the window in milliseconds: seven days.
    public static let windowMilliseconds: Int64 = 7 * 86_400_000
    /// The largest number of views that are kept; more are not told apart.
    public static let maximumCount = 1_000

    /// The times of the views, the earliest first. They are removed by number and not by age, because a clock that runs
    /// ahead makes all of them look old.
    private var views: [Timestamp] = []
    private var marks = ClockMarks()
    private var isLoaded: Bool
    private var hasUnwrittenViews = false
    private var writer: Task<Void, Never>?
    private let file: BoundedFile?
    private let log: any PurchaseLog
    private let clock: @Sendable () -> Timestamp

    /// Creates a counter.
    ///
    /// - Parameters:
    ///   - file: Keeps the views; nil to forget them with the process.
    ///   - log: Receives an event for each failure of the file.
    ///   - timer: Measures the deadlines of the file.
    ///   - clock: The device's clock.
    public init(
        file: (any PaywallFile)?, log: any PurchaseLog = SilentLog(), timer: any PurchaseTimer = SystemTimer(),
        clock: @escaping @Sendable () -> Timestamp = PurchaseEnvironment.deviceTime
    ) {
        self.file = file.map { BoundedFile(file: $0, timer: timer) }
        isLoaded = file == nil
        self.log = log
        self.clock = clock
    }

    /// Returns the number of views within the last seven days; a view exactly seven days ago does not count any more.
    public func viewsWithinSevenDays() -> Int {
        let start = time().adding(milliseconds: -Self.windowMilliseconds)
        return views.count { $0 > start }
    }

    /// Counts a view now. It is written to the file by a task of the counter's own; see ``flush()``.
    public func recordView() {
        // In order also if the clock was set back by less than the tolerance.
        views.append(max(time(), views.last ?? .minimum))
        views = views.suffix(Self.maximumCount)
        hasUnwrittenViews = true
        startWriter()
    }

    /// Returns when every view is written, or when the file has failed; a later view or call tries again.
    public func flush() async {
        startWriter()
        await writer?.value
    }

    /// Reads the views of earlier launches; after that has succeeded, a call does nothing.
    public func load() async {
        guard !isLoaded, let file else { return }
        do throws(DocumentError) {
            let bytes = try await file.read()
            // A second call can have been faster.
            guard !isLoaded else { return }
            isLoaded = true
            guard let bytes else { return }
            let stored = try StoredViews(json: bytes)
            views = (stored.views + views).sorted().suffix(Self.maximumCount)
            if let clock = stored.clock { marks.recordClock(clock) }
        } catch {
            // Views that are damaged are lost. A file that cannot be read is not replaced, because it may have views.
            log.log(PurchaseLogEvent(.paywallViewsFailed, detail: error.description))
        }
    }

    /// Takes the device's clock as right, because the store has answered; see `ClockMarks`.
    public func recordStoreAnswer() {
        let now = clock()
        let before = (device: marks.device ?? .minimum, views: views)
        marks.recordStoreAnswer(clock: now)
        views = views.map { min($0, now) }
        // What the file has is wrong only if the clock was ahead.
        guard (marks.device ?? .minimum) < before.device || views != before.views else { return }
        hasUnwrittenViews = true
        startWriter()
    }

    /// Forgets all views, for a customer that objects to it; an empty list is written.
    public func removeAll() {
        views = []
        // What the file has is not wanted any more.
        isLoaded = true
        hasUnwrittenViews = true
        startWriter()
    }

    /// The time that decides.
    private func time() -> Timestamp {
        let now = clock()
        marks.recordClock(now)
        return marks.time(byClock: now)
    }

    private func startWriter() {
        guard writer == nil, hasUnwrittenViews, let file else { return }
        writer = Task {
            while self.hasUnwrittenViews, await self.write(to: file) {}
            self.writer = nil
        }
    }

    /// Writes all views; returns false if that has failed.
    private func write(to file: BoundedFile) async -> Bool {
        await load()
        guard isLoaded else { return false }
        hasUnwrittenViews = false
        do throws(DocumentError) {
            try await file.write(StoredViews(views: views, clock: marks.device).json)
            return true
        } catch {
            hasUnwrittenViews = true
            log.log(PurchaseLogEvent(.paywallViewsFailed, detail: error.description))
            return false
        }
    }
}

/// The content of the file: `{"schema": 1, "clock": …, "views": […]}` with times in milliseconds since 1970.
private struct StoredViews {
    let views: [Timestamp]
    let clock: Timestamp?

    private static let maximumSize = 65_536

    init(views: [Timestamp], clock: Timestamp?) {
        self.views = views
        self.clock = clock
    }

    init(json: [UInt8]) throws(DocumentError) {
        let damage = DocumentError(
            .malformed, at: "the paywall views", expected: "a list of times", found: "another text")
        guard json.count <= Self.maximumSize, DecodedJSON.depth(of: json) <= 2,
            let object = (try? DecodedJSON.value(of: json))?.object, object["schema"] == .integer(1),
            let elements = object["views"]?.elements
        else { throw damage }
        let views = elements.compactMap(\.integer).compactMap { Timestamp(milliseconds: $0) }
        guard views.count == elements.count else { throw damage }
        self.views = views
        clock = object["clock"]?.integer.flatMap { Timestamp(milliseconds: $0) }
    }

    var json: [UInt8] {
        var object: JSONObject = ["schema": .integer(1)]
        object["clock"] = clock.map { .integer($0.millisecondsSince1970) }
        object["views"] = .array(views.map { .integer($0.millisecondsSince1970) })
        return Array(object.description.utf8)
    }
}
