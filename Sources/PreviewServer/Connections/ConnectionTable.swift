internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The open connections of a server, what each of them waits for, and the log of events.
///
/// Threads of libmicrohttpd, tasks of routes and the server's own task meet here, under one lock. Every connection is
/// suspended and resumed under this lock, so that each suspension has exactly one resumption, and none is left when the
/// server stops, which libmicrohttpd requires. libmicrohttpd calls none of our functions while it holds a lock that
/// suspending or resuming needs, so the order of the locks is always the same.
final class ConnectionTable: Sendable {
    typealias ID = UInt64

    /// What a connection does.
    private enum Phase {
        /// It is open, and has not sent a complete request since this number of pulses.
        case receiving(pulses: Int)
        /// A task computes its answer, since this number of pulses.
        case handling(pulses: Int)
        /// The answer is there, and not yet on its way.
        case handled(HTTPResponse)
        /// It is sent an answer.
        case answering
        /// It is sent events.
        case streaming(EventReader)
    }

    private struct Connection {
        let socket: Int32
        var phase = Phase.receiving(pulses: 0)
        /// The browser that reads the events; nil if the client does not say.
        var browser: String?
        /// The handle to resume the connection with, while it is suspended.
        var suspended: SuspendableConnection?

        mutating func resume() {
            suspended?.resume()
            suspended = nil
        }

        var streams: Bool { if case .streaming = phase { true } else { false } }
        /// Whether the connection is a stream that makes room for another one.
        var isEnding: Bool { if case .streaming(let reader) = phase { reader.isEnding } else { false } }

        mutating func endStream() {
            guard case .streaming(var reader) = phase else { return }
            reader.end()
            phase = .streaming(reader)
            resume()
        }
    }

    private struct State {
        var port: UInt16 = 0
        var isClosing = false
        var latestID: ID = 0
        var connections: [ID: Connection] = [:]
        /// The number of tasks that compute an answer, also of those that no connection waits for any more.
        var tasks = 0
        var log: EventLog
    }

    private let state: Locked<State>
    private let limits: ServerLimits

    /// - Parameter run: A name that no other run of the program has.
    init(run: String, limits: ServerLimits) {
        let log = EventLog(run: run, countLimit: limits.events, byteLimit: limits.eventBytes)
        state = Locked(State(log: log))
        self.limits = limits
    }

    /// The port of the server; 0 as long as it is not known.
    var port: UInt16 { state.withLock { $0.port } }

    func setPort(_ port: UInt16) { state.withLock { $0.port = port } }

    var count: Int { state.withLock { $0.connections.count } }

    // MARK: Opening and closing

    /// Adds a connection, and returns its ID, which no other connection gets.
    func add(socket: Int32) -> ID {
        state.withLock { state in
            state.latestID += 1
            state.connections[state.latestID] = Connection(socket: socket)
            return state.latestID
        }
    }

    /// Removes a connection, before its socket is closed.
    func remove(_ id: ID) { state.withLock { state in _ = state.connections.removeValue(forKey: id) } }

    /// Says that a connection is sent an answer.
    func beginAnswering(_ id: ID) { state.withLock { $0.connections[id]?.phase = .answering } }

    /// Says that a connection has its answer and can send the next request.
    func beginReceiving(_ id: ID) { state.withLock { $0.connections[id]?.phase = .receiving(pulses: 0) } }

    /// Counts a pulse: closes connections that have sent no complete request for too long, gives up routes that have
    /// not answered for too long, and makes streams send a comment, so that a client that has gone away is noticed.
    func pulse() {
        state.withLock { state in
            for (id, var connection) in state.connections {
                switch connection.phase {
                case .receiving(let pulses) where pulses < limits.requestPulses:
                    connection.phase = .receiving(pulses: pulses + 1)
                case .receiving:
                    // Safe: the connection is removed from the table before its socket is closed.
                    shutdown(connection.socket, Int32(SHUT_RDWR))
                case .streaming(var reader):
                    reader.requestComment()
                    connection.phase = .streaming(reader)
                    connection.resume()
                case .handling(let pulses) where pulses < limits.answerPulses:
                    connection.phase = .handling(pulses: pulses + 1)
                case .handling:
                    connection.phase = .handled(.refusal(.unavailable, "The server has not answered in time."))
                    connection.resume()
                case .handled, .answering: continue
                }
                state.connections[id] = connection
            }
        }
    }

    /// Resumes every connection, and suspends none from now on. Streams end, and routes no longer answer.
    func close() {
        state.withLock { state in
            state.isClosing = true
            for id in state.connections.keys {
                if case .handling = state.connections[id]?.phase {
                    state.connections[id]?.phase = .handled(.refusal(.unavailable, "The server is stopping."))
                }
                state.connections[id]?.resume()
            }
        }
    }

    // MARK: Answers of tasks

    /// Suspends a connection until ``finishHandling(_:with:)``; returns false if the server is closing, or has too much
    /// to do.
    func beginHandling(_ id: ID, _ handle: SuspendableConnection) -> Bool {
        state.withLock { state in
            guard !state.isClosing, state.tasks < limits.answers, var connection = state.connections[id] else {
                return false
            }
            state.tasks += 1
            handle.suspend()
            connection.phase = .handling(pulses: 0)
            connection.suspended = handle
            state.connections[id] = connection
            return true
        }
    }

    /// Provides the answer of a connection. It has no effect if the server has answered or closed the connection.
    func finishHandling(_ id: ID, with response: HTTPResponse) {
        state.withLock { state in
            state.tasks -= 1
            guard var connection = state.connections[id], case .handling = connection.phase else { return }
            connection.phase = .handled(response)
            connection.resume()
            state.connections[id] = connection
        }
    }

    /// Returns the answer that a task has provided.
    func handledResponse(_ id: ID) -> HTTPResponse? {
        state.withLock { state in
            guard case .handled(let response) = state.connections[id]?.phase else { return nil }
            return response
        }
    }

    // MARK: Events

    /// The ID of the latest event.
    var latestEventID: String { state.withLock { $0.log.latestID } }

    /// Adds an event to the log, and resumes the streams that wait for one.
    func publish(_ name: String, data: String) {
        state.withLock { state in
            state.log.append(name, data: data)
            for (id, var connection) in state.connections {
                guard case .streaming = connection.phase else { continue }
                connection.resume()
                state.connections[id] = connection
            }
        }
    }

    /// Makes a connection a stream of events; returns false if there are too many streams.
    ///
    /// - Parameter browser: What the client says about itself; nil if it says nothing. Of too many streams of one
    ///   browser, the oldest ends.
    func beginStreaming(_ id: ID, after lastSeen: String?, of browser: String?) -> Bool {
        state.withLock { state in
            let streams = state.connections.filter { $0.value.streams }
            guard streams.count < limits.streams else { return false }
            let others = streams.filter { $0.value.browser == browser && !$0.value.isEnding }.keys.sorted()
            if browser != nil, let oldest = others.first, others.count >= limits.streamsOfBrowser {
                state.connections[oldest]?.endStream()
            }
            state.connections[id]?.browser = browser
            state.connections[id]?.phase = .streaming(EventReader(of: state.log, after: lastSeen))
            return true
        }
    }

    /// What a stream does next.
    enum StreamStep {
        case send(ArraySlice<UInt8>)
        /// The connection is suspended.
        case wait
        case end
    }

    /// Returns the next bytes of a stream, or suspends its connection until there are some.
    func nextStep(of id: ID, _ handle: SuspendableConnection, upTo count: Int) -> StreamStep {
        state.withLock { state in
            guard !state.isClosing, var connection = state.connections[id],
                case .streaming(var reader) = connection.phase
            else { return .end }
            let reading = reader.read(state.log, upTo: count)
            connection.phase = .streaming(reader)
            defer { state.connections[id] = connection }
            switch reading {
            case .bytes(let bytes): return .send(bytes)
            case .missed, .ended: return .end
            case .caughtUp:
                handle.suspend()
                connection.suspended = handle
                return .wait
            }
        }
    }
}
