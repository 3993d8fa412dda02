/// What clients can ask of a server at most.
package struct ServerLimits: Sendable {
    /// The longest head of a request, in bytes.
    package var headBytes = 8_192
    /// The longest body of a request, in bytes.
    package var bodyBytes = 65_536
    /// The number of connections at the same time. Further ones wait until another ends.
    package var connections = 1_024
    /// The number of streams of events at the same time. It leaves connections for pages, because only a pulse notices
    /// that the client of a stream has gone away.
    package var streams = 400
    /// The number of streams of one browser at the same time. A browser has six connections to a server for all of its
    /// tabs, and as many streams would leave none to load a page with.
    package var streamsOfBrowser = 4
    /// The longest time in which the client of an unfinished answer takes no byte, in seconds.
    package var stallSeconds = 30
    /// The number of pulses after which a connection without a complete request is closed.
    package var requestPulses = 3
    /// The number of pulses after which a route that has not answered is given up, with the status 503.
    package var answerPulses = 6
    /// The number of routes that work at the same time, given up ones included. Further requests get the status 503.
    package var answers = 256
    /// The number of events that a client can have missed without a reset.
    package var events = 1_024
    /// The number of bytes in these events.
    package var eventBytes = 1_048_576
    /// The size of an answer that libmicrohttpd keeps for a connection, and of a request before its body, in bytes.
    static let connectionBytes = 32_768
    /// The number of threads that serve connections.
    static let threads: UInt32 = 2

    package init() {}
}
