/// The position of one client in the log of events.
struct EventReader: Sendable {
    /// What a client is sent next.
    enum Reading: Equatable {
        case bytes(ArraySlice<UInt8>)
        /// Nothing until another event is added.
        case caughtUp
        /// The log no longer has the next event.
        case missed
        /// The stream makes room for another one.
        case ended
    }

    /// The number of the last event that was read.
    private var number: UInt64
    /// What is left of the event that is being sent.
    private var rest: ArraySlice<UInt8>
    /// Whether a comment is due.
    private var owesComment = false
    /// Whether the stream makes room for another one.
    private(set) var isEnding = false
    private var hasPaused = false

    /// Creates a reader at the position that a client names.
    ///
    /// - Parameter lastSeen: The ID of the last event that the client has seen; nil for a client that needs only what
    ///   comes now.
    init(of log: EventLog, after lastSeen: String?) {
        if let lastSeen, let number = log.number(ofLastSeen: lastSeen) {
            self.number = number
            rest = EventLog.retry[...]
        } else {
            number = log.latest
            rest = lastSeen == nil ? log.opening[...] : log.reset[...]
        }
    }

    /// Makes the next reading a comment if there is no event.
    mutating func requestComment() { owesComment = true }

    /// Ends the stream after the event that is being sent; the client connects again later and gets what follows.
    mutating func end() { isEnding = true }

    /// Returns the next bytes of the stream, at most `count` of them.
    mutating func read(_ log: EventLog, upTo count: Int) -> Reading {
        if rest.isEmpty, isEnding {
            if hasPaused { return .ended }
            hasPaused = true
            rest = EventLog.pause[...]
        } else if rest.isEmpty {
            do throws(EventLog.Missed) {
                if let event = try log.event(after: number) {
                    number += 1
                    rest = event[...]
                } else if owesComment {
                    rest = EventLog.comment[...]
                } else {
                    return .caughtUp
                }
            } catch {
                return .missed
            }
            owesComment = false
        }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return .bytes(bytes)
    }
}
