import Foundation
import LoopbackClient
import TranscriptSupport

/// A `paywall-preview` process that has printed its address.
final class RunningShop: @unchecked Sendable {
    // Safe to share: the calls of a test follow each other.
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    let port: UInt16
    let token: String

    /// Starts a process, and reads its address; throws what it says if it ends instead.
    ///
    /// - Parameters:
    ///   - temporaryFolder: The folder for temporary files; nil for the usual one.
    ///   - input: What the process can read once, from its standard input.
    ///   - descriptors: The number of descriptors that the process can have; nil for the usual one.
    init(_ arguments: [String], temporaryFolder: String? = nil, input: String? = nil, descriptors: Int? = nil) throws {
        let path = try BuiltTool.paywallPreview.path
        if let descriptors {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(descriptors) && exec \"$0\" \"$@\"", path] + arguments
        } else {
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
        }
        if let temporaryFolder {
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporaryFolder]) { $1 }
        }
        if let input {
            let pipe = Pipe()
            pipe.fileHandleForWriting.write(Data(input.utf8))
            try pipe.fileHandleForWriting.close()
            process.standardInput = pipe
        }
        process.standardOutput = output
        process.standardError = errors
        try process.runWithUsualSignals()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                process.waitUntilExit()
                let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                throw Failure(code: process.terminationStatus, text: text)
            }
            line.append(more)
        }
        let address = URLComponents(string: String(decoding: line.dropLast(), as: UTF8.self))
        port = UInt16(address?.port ?? 0)
        token = address?.queryItems?.first { $0.name == "token" }?.value ?? ""
    }

    /// The error for a process that ends before it has printed an address.
    struct Failure: Error {
        let code: Int32
        let text: String
    }

    /// Sends a request on a connection of its own, and returns the answer.
    func request(_ method: String, _ target: String) throws -> SocketClient.Answer {
        let client = try SocketClient(port: port)
        try client.send("\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        return try client.readAnswer()
    }

    /// Does what a button of a page does.
    func post(_ path: String, _ value: String = "") throws {
        let address = "\(path)?value=\(value)&token=\(token)"
        let answer = try request("POST", address)
        guard answer.status == 200 else { throw Failure(code: Int32(answer.status), text: "\(path): \(answer.body)") }
    }

    /// Waits until a page is as a test wants it, which it becomes by an event.
    func wait(on path: String = "/", until isReached: (String) -> Bool) throws -> String {
        var page = try request("GET", path).body
        let position = page.firstMatch(of: /data-position="([^"]*)"/)?.1 ?? ""
        let events = try EventClient(port: port, path: "/events?after=\(position)")
        while !isReached(page) {
            guard try events.next() != nil else { throw Failure(code: 0, text: "the events have ended") }
            page = try request("GET", path).body
        }
        return page
    }

    /// Waits until a page has a text, and returns the page.
    @discardableResult
    func wait(for text: String, on path: String = "/") throws -> String {
        try wait(on: path) { $0.contains(text) }
    }

    /// Opens the paywall of a feature, or with all plans, and returns its page.
    func openPaywall(_ feature: String = "") throws -> String {
        try post("/paywall/open", feature)
        return try wait(for: "data-post=\"/paywall/buy\"")
    }

    /// Returns the value of a button, such as the plan that it buys.
    func value(of path: String, on page: String) -> String {
        let start = page.components(separatedBy: "data-post=\"\(path)\" data-value=\"").dropFirst().first ?? ""
        return String(start.prefix { $0 != "\"" })
    }

    /// Presses the first button of the console with an action for a subscription, a transaction or a waiting purchase.
    func pressInConsole(_ action: String) throws {
        let path = "/console/\(action)"
        try post(path, value(of: path, on: request("GET", "/console").body))
    }

    /// Buys what a feature needs on its paywall, or the selected one of all plans, and confirms the purchase.
    func buy(_ feature: String = "") throws {
        try post("/paywall/buy", value(of: "/paywall/buy", on: openPaywall(feature)))
        try confirm()
    }

    /// Waits for the payment sheet, and confirms it.
    func confirm() throws {
        let page = try wait(for: "data-post=\"/sheet/confirm\"")
        try post("/sheet/confirm", value(of: "/sheet/confirm", on: page))
    }

    /// The number of descriptors that the process has open; nil where the system does not show it.
    var descriptorCount: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    /// Returns what the process has written to standard error, after its end.
    func messages() -> String { String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    /// Ends the process by a signal, as Control-C does by default, and returns its exit code.
    func interrupt(by signal: Int32 = SIGINT) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }
}
