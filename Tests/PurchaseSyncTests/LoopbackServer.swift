import Foundation
import ReceiptTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server for HTTP on this machine, which answers one connection after the other as a test says.
final class LoopbackServer: Sendable {
    /// A request as it arrived.
    struct Request: Sendable {
        let head: String
        let body: String
    }

    /// What the server does with a request.
    enum Behaviour: Sendable {
        /// Sends exactly these bytes, and closes the connection.
        case bytes(String)
        /// Answers with a first line, headers and a body.
        case answer(_ status: String, headers: [String] = [], body: String = "")
        /// Closes the connection without an answer.
        case hangUp
        /// Never answers, until the client closes the connection.
        case silence
        /// Answers with a body that does not end, until the client closes the connection.
        case endless
    }

    struct Failure: Error {}

    private let listener: Int32
    let port: UInt16
    private let behaviours: Locked<[Behaviour]>
    private let received = Locked<[Request]>([])
    var requests: [Request] { received.withLock { $0 } }
    private let ended = Locked(0)
    /// The number of connections that have ended.
    var endedConnections: Int { ended.withLock { $0 } }

    /// Starts a server that uses one behaviour for each connection, and the last one for all that follow.
    init(_ behaviours: [Behaviour]) throws {
        self.behaviours = Locked(behaviours)
        let descriptor = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard descriptor >= 0, isListening else { throw Failure() }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve() }.start()
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #elseif canImport(Musl)
        private static let stream = SOCK_STREAM
        private static let noSignal = MSG_NOSIGNAL
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif

    deinit { close(listener) }

    /// Ends the server, whose port stays taken; connections that are open end with their client.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let behaviour = behaviours.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            Thread { [self] in
                handle(connection, behaviour)
                close(connection)
                ended.withLock { $0 += 1 }
            }.start()
        }
    }

    private func handle(_ connection: Int32, _ behaviour: Behaviour) {
        guard let request = readRequest(connection) else { return }
        received.withLock { $0.append(request) }
        switch behaviour {
        case .answer(let status, let headers, let body):
            let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
            write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, to: connection)
        case .bytes(let text): write(text, to: connection)
        case .hangUp: break
        case .silence: while readBytes(connection) != nil {}
        case .endless:
            write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n", to: connection)
            while write(String(repeating: "a", count: 65_536), to: connection) {}
        }
    }

    private func readRequest(_ connection: Int32) -> Request? {
        var bytes = Data()
        while true {
            if let end = bytes.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
                let body = bytes[end.upperBound...]
                if body.count >= length ?? 0 { return Request(head: head, body: String(decoding: body, as: UTF8.self)) }
            }
            guard let more = readBytes(connection) else { return nil }
            bytes.append(contentsOf: more)
        }
    }

    /// Returns the bytes that have arrived; nil when the client has closed the connection.
    private func readBytes(_ connection: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(connection, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    @discardableResult
    private func write(_ text: String, to connection: Int32) -> Bool {
        var rest = Array(text.utf8)
        while !rest.isEmpty {
            let count = unsafe send(connection, rest, rest.count, Self.noSignal)
            guard count > 0 else { return false }
            rest.removeFirst(count)
        }
        return true
    }
}
