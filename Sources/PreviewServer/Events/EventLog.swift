/// The latest events of a server, each with a number one higher than the one before.
///
/// All clients read from this log; none has a queue of its own. So a slow client costs no memory: when the log no
/// longer has what the client needs next, its stream ends, and the client connects again.
///
/// The ID of an event is the name of the run, a hyphen and the number. The name of the run tells the numbers of an
/// earlier run of the program from those of this one.
struct EventLog: Sendable {
    let run: String
    private let countLimit: Int
    private let byteLimit: Int
    private var events: [(number: UInt64, bytes: [UInt8])] = []
    private var byteCount = 0
    /// The number of the latest event; 0 before the first one.
    private(set) var latest: UInt64 = 0

    /// - Parameters:
    ///   - run: A text that no other run has.
    ///   - countLimit: The number of events that the log keeps.
    ///   - byteLimit: The number of bytes that the log keeps; the latest event is kept in any case.
    init(run: String, countLimit: Int, byteLimit: Int) {
        self.run = run
        self.countLimit = max(1, countLimit)
        self.byteLimit = byteLimit
    }

    /// The ID of the latest event, or of the beginning.
    var latestID: String { id(latest) }

    private func id(_ number: UInt64) -> String { "\(run)-\(number)" }

    /// Adds an event, and forgets the oldest ones that exceed the limits.
    mutating func append(_ name: String, data: String) {
        latest += 1
        let bytes = Self.block(id: id(latest), name: name, data: data)
        events.append((latest, bytes))
        byteCount += bytes.count
        while events.count > countLimit || events.count > 1 && byteCount > byteLimit {
            byteCount -= events.removeFirst().bytes.count
        }
    }

    /// Returns the bytes of the event after a number; nil if there is none yet.
    ///
    /// - Throws: ``Missed`` if the log no longer has it.
    func event(after number: UInt64) throws(Missed) -> [UInt8]? {
        guard number < latest else { return nil }
        guard let first = events.first?.number, number + 1 >= first else { throw Missed() }
        return events[Int(number + 1 - first)].bytes
    }

    /// The error for an event that the log no longer has.
    struct Missed: Error {}

    // MARK: Positions

    /// Returns the number of an event that a client names as the last one that it has seen.
    ///
    /// Nil if the ID is of another run, or if what follows it is no longer in the log.
    func number(ofLastSeen id: String) -> UInt64? {
        guard let digits = id.split(separator: "-").last, let number = UInt64(digits), id == self.id(number),
            number <= latest, number == latest || number + 1 >= events.first?.number ?? 0
        else { return nil }
        return number
    }

    // MARK: Encoding

    /// The beginning of a stream: the time in milliseconds after which a client connects again.
    static let retry = [UInt8]("retry: 500\n\n".utf8)

    /// The end of a stream that makes room for another one of the same browser, which connects again after this time.
    static let pause = [UInt8]("retry: 5000\n\n".utf8)

    /// The beginning of a stream for a client without a position, which it gets here. A block without data is no event.
    var opening: [UInt8] { [UInt8]("retry: 500\nid: \(latestID)\n\n".utf8) }

    /// The event for a client whose position is no longer in the log: it must load its state again.
    var reset: [UInt8] { Self.block(id: latestID, name: "reset", data: "{}") }

    /// A line that clients ignore, which finds out whether a client is still there.
    static let comment = [UInt8](":\n\n".utf8)

    /// Returns an event in the format of the HTML standard, where a line break in the name would begin another field.
    private static func block(id: String, name: String, data: String) -> [UInt8] {
        var text = "id: \(id)\nevent: \(name.filter { !$0.isNewline })\n"
        // A carriage return and a line feed are one character.
        let lines = data.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        for line in lines { text += "data: \(line)\n" }
        return [UInt8]("\(text)\n".utf8)
    }
}
