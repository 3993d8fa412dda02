internal import CMicroHTTPD
internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The owner of a running libmicrohttpd server with its threads.
///
/// Lifetimes: the server has a reference to the service, which ``stop()`` releases after the threads have ended. A
/// connection has a reference to its ``HTTPConnection`` from its first call to its last one. libmicrohttpd copies what
/// it gets from here.
final class HTTPDaemon: Sendable {
    // Safe to share: libmicrohttpd permits to stop a server on any thread but its own, and no callback has this object.
    @safe
    private struct Running: @unchecked Sendable {
        let daemon: OpaquePointer
        let service: Unmanaged<HTTPService>
    }

    private let running: Locked<Running?>
    private let table: ConnectionTable

    /// Starts a server on the loopback address. Returns nil and sets `failure` to the error of the system if it cannot.
    ///
    /// - Parameter port: The port; 0 for one that the system chooses.
    init?(_ service: HTTPService, port: UInt16, failure: inout Int32) {
        let limits = service.access.limits
        let context = unsafe Unmanaged.passRetained(service)
        let callbacks = unsafe preview_http_callbacks(
            context: context.toOpaque(), connection: Self.connectionChanged, target: Self.targetArrived,
            request: Self.requestArrived, completed: Self.requestCompleted)
        let bounds = preview_http_limits(
            threads: ServerLimits.threads,
            connections: UInt32(clamping: DescriptorLimit.connections(upTo: limits.connections)),
            timeout: UInt32(clamping: limits.stallSeconds), memory: ServerLimits.connectionBytes)
        guard let daemon = unsafe preview_http_start(port, callbacks, bounds) else {
            failure = errno
            unsafe context.release()
            return nil
        }
        table = service.table
        table.setPort(unsafe preview_http_port(daemon))
        running = Locked(unsafe Running(daemon: daemon, service: context))
    }

    deinit { stop() }

    /// Ends all streams, closes all connections and ends the threads. A second call has no effect.
    func stop() {
        guard let ended = running.withLock({ $0.take() }) else { return }
        // libmicrohttpd must not be stopped while a connection is suspended.
        table.close()
        unsafe MHD_stop_daemon(ended.daemon)
        // Safe: no thread of the server is left that could use the service.
        unsafe ended.service.release()
    }

    // MARK: Callbacks

    private static let connectionChanged: MHD_NotifyConnectionCallback = { context, raw, state, change in
        guard let context = unsafe context, let raw = unsafe raw, let state = unsafe state else { return }
        switch change {
        case .CONNECTION_NOTIFY_STARTED:
            // Safe: the reference to the service lasts until the threads have ended.
            let service = unsafe Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue()
            let connection = unsafe HTTPConnection(
                service, SuspendableConnection(raw), socket: preview_http_socket(raw))
            unsafe state.pointee = unsafe Unmanaged.passRetained(connection).toOpaque()
        default:
            // Safe: the pointer was set above, and this is the last call with it.
            guard let opaque = unsafe state.pointee else { return }
            unsafe state.pointee = nil
            unsafe Unmanaged<HTTPConnection>.fromOpaque(opaque).takeRetainedValue().close()
        }
    }

    private static let targetArrived:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            _, target, raw in
            // Safe: the text ends with a zero byte.
            let bytes = unsafe target.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
            unsafe connection(raw)?.begin(target: bytes, at: RequestMessage.place(target, bytes.count))
            return nil
        }

    private static let requestArrived: MHD_AccessHandlerCallback = { _, raw, _, method, _, part, count, _ in
        guard let raw = unsafe raw, let count = unsafe count, let connection = unsafe connection(raw) else {
            return .NO
        }
        // Safe: `part` has the number of bytes at `count`, and both are valid during this call.
        let message = unsafe RequestMessage(raw, method: method, part: part, count: count.pointee)
        unsafe count.pointee = 0
        do throws(HTTPConnection.Broken) {
            switch try connection.receive(message) {
            case .proceed: return .YES
            case .answer(let response): return unsafe queue(response, on: raw)
            case .stream: return unsafe queueEvents(of: connection, on: raw)
            }
        } catch {
            return .NO
        }
    }

    private static let requestCompleted: MHD_RequestCompletedCallback = { _, raw, _, _ in
        unsafe connection(raw)?.end()
    }

    private static let eventsAreRead: MHD_ContentReaderCallback = { context, _, buffer, count in
        guard let context = unsafe context, let buffer = unsafe buffer else { return preview_http_end_of_stream() }
        // Safe: libmicrohttpd reads an answer only until the last call of `connectionChanged`.
        let connection = unsafe Unmanaged<HTTPConnection>.fromOpaque(context).takeUnretainedValue()
        switch connection.readEvents(upTo: count) {
        case .wait: return 0
        case .end: return preview_http_end_of_stream()
        case .send(let bytes):
            // Safe: there are at most `count` bytes, for which `buffer` has room.
            unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: bytes)
            return bytes.count
        }
    }

    /// Returns the state of a connection, which lasts at least as long as the current call.
    @unsafe
    private static func connection(_ raw: OpaquePointer?) -> HTTPConnection? {
        guard let raw = unsafe raw, let state = unsafe preview_http_state(raw) else { return nil }
        return unsafe Unmanaged<HTTPConnection>.fromOpaque(state).takeUnretainedValue()
    }

    // MARK: Answers

    /// Sends an answer; returns `MHD_NO`, which closes the connection, if there is no memory or a header is malformed.
    @unsafe
    private static func queue(_ response: HTTPResponse, on raw: OpaquePointer) -> MHD_Result {
        let answer = unsafe response.body.withUnsafeBytes { bytes in
            // Safe: libmicrohttpd copies the bytes during this call and writes to none of them.
            unsafe MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        var headers = HTTPResponse.securityHeaders + [("Content-Type", response.contentType)]
        if !response.allowedMethods.isEmpty {
            headers.append(("Allow", response.allowedMethods.joined(separator: ", ")))
        }
        // A client that is refused something must not keep a connection.
        if response.status.rawValue >= 400 { headers.append(("Connection", "close")) }
        return unsafe queue(answer, response.status, headers, on: raw)
    }

    /// Makes the stream of events the answer.
    @unsafe
    private static func queueEvents(of connection: HTTPConnection, on raw: OpaquePointer) -> MHD_Result {
        // Safe: the context outlives the answer, as explained at the reader.
        let context = unsafe Unmanaged.passUnretained(connection).toOpaque()
        let answer = unsafe preview_http_stream(4_096, eventsAreRead, context, nil)
        let headers = HTTPResponse.securityHeaders + [("Content-Type", "text/event-stream")]
        return unsafe queue(answer, .ok, headers, on: raw)
    }

    @unsafe
    private static func queue(
        _ answer: OpaquePointer?, _ status: HTTPStatus, _ headers: [(name: String, value: String)],
        on raw: OpaquePointer
    ) -> MHD_Result {
        guard let answer = unsafe answer else { return .NO }
        // The connection has a reference of its own while it sends the answer.
        defer { unsafe MHD_destroy_response(answer) }
        for (name, value) in headers {
            guard unsafe MHD_add_response_header(answer, name, value) == .YES else { return .NO }
        }
        return unsafe MHD_queue_response(raw, status.rawValue, answer)
    }
}
