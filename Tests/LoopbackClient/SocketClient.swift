import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A client with one connection, which sends exactly the bytes that a test gives it.
///
/// Its calls block, and fail after half a minute. They must run in ``offPool(_:)``, because the routes of the server
/// need the threads of the tasks.
package final class SocketClient {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// An answer with the length of its body.
    package struct Answer: Equatable {
        package let status: Int
        package let headers: [String: String]
        package let body: String

        package init(status: Int, headers: [String: String], body: String) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    private let socket: Int32
    private var received = Data()

    /// - Parameter receiveBuffer: The size of the buffer of the system for what arrives, in bytes; nil for the usual
    ///   one.
    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        socket = Self.makeSocket()
        guard socket >= 0 else { throw Failure(description: "there is no socket (\(errno))") }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(socket, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        if var size = receiveBuffer {
            unsafe setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = socket
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Failure(description: "no connection to port \(port) (\(errno))") }
    }

    deinit { close(socket) }

    #if canImport(Glibc)
        private static func makeSocket() -> Int32 { Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #elseif canImport(Musl)
        private static func makeSocket() -> Int32 { Musl.socket(AF_INET, SOCK_STREAM, 0) }
        private static let noSignal = MSG_NOSIGNAL
    #else
        private static func makeSocket() -> Int32 { Darwin.socket(AF_INET, SOCK_STREAM, 0) }
        private static let noSignal: Int32 = 0
    #endif

    package func send(_ text: String) throws { try send([UInt8](text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                    unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Self.noSignal)
                #elseif canImport(Musl)
                    unsafe Musl.send(socket, bytes.baseAddress, bytes.count, Self.noSignal)
                #else
                    unsafe Darwin.send(socket, bytes.baseAddress, bytes.count, Self.noSignal)
                #endif
            }
            guard count > 0 else { throw Failure(description: "the server takes no more bytes (\(errno))") }
            rest = rest.dropFirst(count)
        }
    }

    /// Tells the server that nothing more comes.
    package func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Returns whether bytes arrived; false if the server has closed the connection.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        if count > 0 { received += buffer.prefix(count) }
        guard count >= 0 || errno == ECONNRESET else { throw Failure(description: "nothing arrives (\(errno))") }
        return count > 0
    }

    /// Returns everything until the server closes the connection; nil if it is still open after many calls of `pulse`.
    package func readToEnd(pulsing pulse: () -> Void = {}) throws -> String? {
        for _ in 0..<3_000 {
            var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if unsafe Foundation.poll(&poll, 1, 10) == 0 {
                pulse()
            } else if try !receive() {
                defer { received = Data() }
                return String(decoding: received, as: UTF8.self)
            }
        }
        return nil
    }

    /// Returns the text up to a separator, without it; nil if the connection ends before.
    package func read(to separator: String) throws -> String? {
        let end = Data(separator.utf8)
        while true {
            if let range = received.range(of: end) {
                defer { received.removeSubrange(..<range.upperBound) }
                return String(decoding: received[..<range.lowerBound], as: UTF8.self)
            }
            guard try receive() else { return nil }
        }
    }

    /// Returns a number of bytes; nil if the connection ends before.
    package func read(count: Int) throws -> [UInt8]? {
        while received.count < count {
            guard try receive() else { return nil }
        }
        defer { received.removeSubrange(..<received.startIndex.advanced(by: count)) }
        return [UInt8](received.prefix(count))
    }

    /// Returns the status and the headers of an answer.
    package func readHead() throws -> (status: Int, headers: [String: String]) {
        guard let head = try read(to: "\r\n\r\n") else { throw Failure(description: "there is no answer") }
        let lines = head.components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(description: "no status in \(lines[0])")
        }
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        return (status, Dictionary(fields) { "\($0), \($1)" })
    }

    /// Returns an answer whose body has a length.
    package func readAnswer(toHead isForHead: Bool = false) throws -> Answer {
        let (status, headers) = try readHead()
        let count = isForHead ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
        guard let body = try read(count: count) else { throw Failure(description: "the body is not complete") }
        return Answer(status: status, headers: headers, body: String(decoding: body, as: UTF8.self))
    }
}

/// Runs work that blocks on a thread of its own.
package func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}
