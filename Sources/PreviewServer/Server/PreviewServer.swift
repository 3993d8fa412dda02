/// A web server for pages on this machine: fixed routes on the loopback address, and server-sent events.
///
/// ``RequestAccess`` explains which requests it serves, and ``EventLog`` how clients get every event. It speaks HTTP
/// without TLS, since its connections do not leave the machine.
package final class PreviewServer: Sendable {
    private let table: ConnectionTable
    private let daemon: HTTPDaemon
    private let pulses: Task<Void, Never>?

    /// The text that calls need that change something.
    package let token: AccessToken
    package let port: UInt16

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - routes: Everything that the server has.
    ///   - port: The port; 0 for one that the system chooses.
    ///   - limits: What clients can ask of the server at most.
    ///   - pulse: The time between two calls of ``pulse()``; nil if only the caller calls it.
    ///   - generator: The source of the token and of the name of this run. It must not be predictable.
    package init(
        _ routes: [Route], port: UInt16 = 0, limits: ServerLimits = ServerLimits(), pulse: Duration? = .seconds(10),
        using generator: inout some RandomNumberGenerator
    ) throws(PreviewServerError) {
        let token = AccessToken(using: &generator)
        let table = ConnectionTable(run: AccessToken.digits(of: generator.next()), limits: limits)
        let access = RequestAccess(token: token, routes: routes, limits: limits)
        var failure: Int32 = 0
        guard let daemon = HTTPDaemon(HTTPService(access: access, table: table), port: port, failure: &failure) else {
            throw PreviewServerError(port: port, systemError: failure)
        }
        self.table = table
        self.daemon = daemon
        self.token = token
        self.port = table.port
        pulses = pulse.map { interval in
            Task {
                while (try? await Task.sleep(for: interval)) != nil { table.pulse() }
            }
        }
    }

    deinit { pulses?.cancel() }

    /// The address to open in a browser, with the token.
    package var address: String { "http://127.0.0.1:\(port)/?\(RequestAccess.tokenField)=\(token.text)" }

    /// The number of open connections.
    package var connectionCount: Int { table.count }

    /// The ID of the latest event, which a page that is made now names as its position.
    package var latestEventID: String { table.latestEventID }

    /// Sends an event to all clients of the events, now or when they connect again.
    ///
    /// - Parameters:
    ///   - name: The name of the event, in one line. The name `reset` tells a client that it has missed events.
    ///   - data: The content, such as a JSON document.
    package func publish(_ name: String, data: String) { table.publish(name, data: data) }

    /// Closes connections that have sent no complete request for ``ServerLimits/requestPulses`` pulses, and finds
    /// streams whose clients have gone away.
    package func pulse() { table.pulse() }

    /// Ends all streams, closes all connections, and returns when the threads have ended.
    ///
    /// A route that is still working has no answer any more. A second call has no effect.
    package func stop() {
        pulses?.cancel()
        daemon.stop()
    }
}
