import Foundation
import LoopbackClient
import Testing

/// Runs `paywall-preview` and uses its shop as a browser does.
@Suite("The shop of paywall-preview", .timeLimit(.minutes(15)))
struct ShopTests {
    /// Returns what the page says of the products, in their order.
    private static func states(_ page: String) -> [String] {
        page.matches(of: /<p class="state">([^<]*)</).map { String($0.1) }
    }

    @Test(
        "a purchase unlocks its product, arrives as an event, and is still there after a restart with the same folder")
    func purchase() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let arguments = ["--data", folder.path(), "--quiet"]
        try await offPool {
            let shop = try RunningShop(arguments)
            let page = try shop.request("GET", "/")
            #expect(page.status == 200)
            #expect(Self.states(page.body) == ["not bought", "not bought", "not bought", "not bought"])
            #expect(page.body.contains("$19.99 every 12 months"))
            let position = try #require(page.body.firstMatch(of: /data-position="([^"]*)"/)).1
            #expect(try shop.request("POST", "/purchases?product=com.example.app.export").status == 403)
            let unknown = try shop.request("POST", "/purchases?product=none&token=\(shop.token)")
            #expect(unknown.status == 404)
            #expect(Self.states(try shop.request("GET", "/").body) == Self.states(page.body))

            let events = try EventClient(port: shop.port, path: "/events?after=\(position)")
            let token = "token=\(shop.token)"
            let bought = try shop.request("POST", "/purchases?product=com.example.app.export&\(token)")
            #expect(bought.body == #"{"outcome":"success"}"#)
            for name in ["log", "entitlements"] { #expect(try events.next(named: name) != nil) }
            let again = try shop.request("POST", "/purchases?product=com.example.app.export&\(token)")
            #expect(again.body == #"{"outcome":"alreadyOwned"}"#)
            let after = ["not bought", "unlocked", "not bought", "not bought"]
            #expect(Self.states(try shop.request("GET", "/").body) == after)

            let second = #expect(throws: RunningShop.Failure.self) { try RunningShop(arguments) }
            #expect(second?.code == 2)
            #expect(second?.text.contains("another paywall-preview process is using") == true)

            #expect(shop.interrupt() == 0)
            #expect(try events.next(named: "after the end") == nil)
            let restarted = try RunningShop(arguments)
            #expect(restarted.token != shop.token)
            #expect(Self.states(try restarted.request("GET", "/").body) == after)
            #expect(restarted.interrupt() == 0)
        }
    }

    @Test("the script and the style sheet are files of their own, and a port in use is an error")
    func files() async throws {
        try await offPool {
            let shop = try RunningShop([])
            let script = try shop.request("GET", "/shop.js")
            #expect(script.headers["content-type"] == "text/javascript; charset=utf-8" && script.body.contains("fetch"))
            #expect(try shop.request("GET", "/shop.css").headers["content-type"] == "text/css; charset=utf-8")
            let page = try shop.request("GET", "/").body
            #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick"))
            let error = #expect(throws: RunningShop.Failure.self) { try RunningShop(["--port", "\(shop.port)"]) }
            #expect(error?.code == 2)
            #expect(error?.text.contains("another program uses port \(shop.port)") == true)
            #expect(shop.interrupt() == 0)
        }
    }

    @Test(
        "a signal that ends the process leaves no temporary folder, and deletes nothing that a link in it leads to",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func temporaryFolder(_ signal: Int32) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shops-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (temporary, other) = (folder.appending(path: "temporary"), folder.appending(path: "other"))
        for folder in [temporary, other] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let file = other.appending(path: "file")
        try Data().write(to: file)
        try await offPool {
            let shop = try RunningShop([], temporaryFolder: temporary.path())
            let own = try FileManager.default.contentsOfDirectory(at: temporary, includingPropertiesForKeys: nil)
            #expect(own.count == 1)
            for (name, target) in [("folder", other), ("file", file)] {
                let link = try #require(own.first).appending(path: "link-to-\(name)")
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            }
            #expect(shop.interrupt(by: signal) == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path()) == [])
        #expect(FileManager.default.fileExists(atPath: file.path()))
    }

    @Test("a shop buys and records also while clients hold as many connections as they get")
    func manyConnections() async throws {
        try await offPool {
            let shop = try RunningShop([], descriptors: 200)
            let buyer = try SocketClient(port: shop.port)
            // The server has accepted the connection of the buyer before those that follow.
            let host = "Host: 127.0.0.1:\(shop.port)\r\n"
            try buyer.send("GET / HTTP/1.1\r\n\(host)\r\n")
            #expect(try buyer.readAnswer().status == 200)
            let others = try (0..<300).map { _ in try SocketClient(port: shop.port) }
            try buyer.send("POST /purchases?product=com.example.app.export&token=\(shop.token) HTTP/1.1\r\n\(host)\r\n")
            #expect(try buyer.readAnswer().body == #"{"outcome":"success"}"#)
            if let count = shop.descriptorCount { #expect(count < 160, "some are left for files") }
            withExtendedLifetime(others) {}
            #expect(shop.interrupt() == 0)
        }
    }
}
