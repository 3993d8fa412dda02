import Foundation

/// The first page of paywall-preview, from the start of the process.
enum FirstPage {
    /// Starts the tool with a new store, loads the page that it names, and returns the seconds until all of it is there.
    static func seconds(of tool: String) throws -> Double {
        let start = ContinuousClock.now
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: tool)
        process.arguments = ["--quiet"]
        process.standardOutput = output
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure("\(tool) has printed no address") }
            line.append(more)
        }
        let address = URLComponents(string: String(decoding: line.dropLast(), as: UTF8.self))
        guard let address, let port = address.port.flatMap({ UInt16(exactly: $0) }) else {
            throw Failure("\(tool) has printed \(String(decoding: line, as: UTF8.self))")
        }
        let page = try load("/?\(address.query ?? "")", port: port)
        let time = ContinuousClock.now - start
        guard page.starts(with: Data("HTTP/1.1 200 ".utf8)), page.suffix(8) == Data("</html>\n".utf8) else {
            throw Failure("\(tool) has answered: \(String(decoding: page.prefix(200), as: UTF8.self))")
        }
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    /// Returns the whole answer to a request on a connection of its own.
    private static func load(_ target: String, port: UInt16) throws -> Data {
        #if os(Linux)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let handle = FileHandle(fileDescriptor: socket(AF_INET, kind, 0), closeOnDealloc: true)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafeBytes(of: &place) { bytes in
            connect(
                handle.fileDescriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        guard status == 0 else { throw Failure("nothing answers on port \(port)") }
        try handle.write(
            contentsOf: Data("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8))
        return try handle.readToEnd() ?? Data()
    }
}
