import Foundation
import LoopbackClient
import Testing
import TranscriptSupport

@testable import paywall_preview

/// Runs `paywall-preview` and uses its shop as the script of its pages does.
///
/// Tools/browser-tests uses it in a browser.
@Suite("The shop of paywall-preview", .timeLimit(.minutes(15)))
struct ShopTests {
    private static let export = "com.example.app.export"

    /// Returns the access to each feature of the page, by its ID.
    private static func access(_ shop: RunningShop) throws -> [String: String] {
        let page = try shop.request("GET", "/")
        #expect(page.status == 200)
        let rows = page.body.matches(of: /<li data-key="feature ([^"]*)" class="feature" data-access="([^"]*)"/)
        return Dictionary(uniqueKeysWithValues: rows.map { (String($0.1), String($0.2)) })
    }

    @Test(
        "[OTP-F3] a locked feature opens the paywall, a purchase unlocks it, and it stays so after a restart with the same folder"
    )
    func purchase() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let arguments = ["--data", folder.path(), "--quiet"]
        try await offPool {
            let shop = try RunningShop(arguments)
            #expect(try Self.access(shop)[Self.export] == "denied")
            #expect(try Self.access(shop)["writing"] == "granted")
            #expect(try shop.request("POST", "/paywall/open?value=\(Self.export)").status == 403)
            try shop.buy(Self.export)
            _ = try shop.wait(for: "Thank you. It is unlocked now.")
            #expect(try Self.access(shop)[Self.export] == "granted")

            let second = #expect(throws: RunningShop.Failure.self) { try RunningShop(arguments) }
            #expect(second?.code == 2)
            #expect(second?.text.contains("another paywall-preview process is using") == true)

            let console = try shop.wait(for: "feature \(Self.export) by lifetime of \(Self.export)", on: "/console")
            for step in [
                "observed", "verified", "recorded", "granted", "finished", "signed under the store&#39;s root",
                "nothing is unlocked",
            ] {
                #expect(console.contains(step), "the log lacks: \(step)")
            }
            #expect(shop.interrupt() == 0)
            let restarted = try RunningShop(arguments)
            #expect(restarted.token != shop.token)
            #expect(try Self.access(restarted)[Self.export] == "granted")
            #expect(restarted.interrupt() == 0)
        }
    }

    @Test(
        "[PWF-5] the offers of a file decide what the paywall sells, and a changed file is in force for the next paywall"
    )
    func offers() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "offers-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        @Sendable func write(_ plan: String, _ rest: String = "") throws {
            let offer = #"{"id": "B", "layout": "cards", "defaultPlan": "\#(plan)", "plans": [{"id": "\#(plan)"}]}"#
            try Data(#"{"schema": 1, "offers": [\#(offer)]\#(rest)}"#.utf8).write(to: file)
        }
        try await offPool {
            try write("com.example.app.pro.monthly")
            let shop = try RunningShop(["--offers", file.path(), "--quiet"])
            try shop.post("/paywall/open")
            let paywall = try shop.wait(for: "data-post=\"/paywall/buy\"")
            #expect(paywall.contains("$2.99 per month") && !paywall.contains("$19.99 per year"))
            try shop.post("/paywall/close")
            _ = try shop.wait(
                for: "<dialog id=\"paywall\" class=\"paywall\" aria-labelledby=\"paywall-title\"></dialog>")
            try write("com.example.app.pro.yearly", #", "purchasesEnabled": false"#)
            try shop.post("/paywall/open")
            _ = try shop.wait(for: "Purchases are switched off.")
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("what has no effect in the file of the offers is a warning with its place, and a wrong value is an error")
    func offersWithMistakes() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "offers-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let correct = Command.offersExample
        try await offPool {
            let mistakes = correct.replacing("{\"schema\": 1", with: "{\"schema\": 1, \"purchaseEnabled\": false")
                .replacing("\"layout\"", with: "\"Plans\": [], \"layout\"")
                .replacing("\"plans\": [", with: "\"plans\": [{\"id\": \"yearly\"}, ")
            try Data(mistakes.utf8).write(to: file)
            let shop = try RunningShop(["--offers", file.path()])
            #expect(try shop.openPaywall().contains("$19.99 per year"))
            #expect(shop.interrupt() == 0)
            let warnings = shop.messages().split(separator: "\n").filter { $0.contains("warning: ") }
            let prefix = "paywall-preview: warning: \(file.path()): "
            #expect(
                warnings == [
                    "\(prefix)purchaseEnabled: unknown member, which is ignored",
                    "\(prefix)offers[0].Plans: unknown member, which is ignored",
                    "\(prefix)offers[0].plans[0].id: there is no product yearly, and the plan is not shown",
                ])

            try Data(correct.utf8).write(to: file)
            let other = try RunningShop(["--offers", file.path()])
            #expect(other.interrupt() == 0 && !other.messages().contains("warning: "))

            try Data(correct.replacing("\"A\"", with: "\"D\"").utf8).write(to: file)
            let failure = #expect(throws: RunningShop.Failure.self) { try RunningShop(["--offers", file.path()]) }
            #expect(failure?.code == 2 && failure?.text.contains("offers[0].id: expected A, B, C; found D") == true)
        }
    }

    @Test("the payment sheet says what is charged now and afterwards, and only the price after the trial is used")
    func paymentSheet() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            func sheet() throws -> String {
                try shop.post("/paywall/buy", shop.value(of: "/paywall/buy", on: shop.openPaywall()))
                let page = try shop.wait(for: "data-post=\"/sheet/confirm\"")
                return String(page[try #require(page.range(of: "<dialog id=\"sheet\"")).lowerBound...])
            }
            let first = try sheet()
            #expect(first.contains("7 days free, then $19.99 per year") && first.contains("Nothing is charged now."))
            #expect(first.contains("The free trial ends after 7 days. You are then charged $19.99 per year"))
            try shop.confirm()
            // The paywall has closed.
            try shop.wait(for: "It is unlocked now.")
            try shop.pressInConsole("expire")
            try shop.wait(for: "data-post=\"/paywall/open\"")
            let second = try sheet()
            #expect(second.contains("<p class=\"price\">$19.99 per year</p>"))
            #expect(!second.contains("free") && !second.contains("Nothing is charged now."))
        }
    }

    @Test("the offers of a pipe, which can be read only once, decide what the paywall sells")
    func offersOfPipe() async throws {
        try await offPool {
            let plan = "com.example.app.pro.monthly"
            let offer = #"{"id": "B", "layout": "cards", "defaultPlan": "\#(plan)", "plans": [{"id": "\#(plan)"}]}"#
            let shop = try RunningShop(
                ["--offers", "/dev/stdin", "--quiet"], input: #"{"schema": 1, "offers": [\#(offer)]}"#)
            let paywall = try shop.openPaywall()
            #expect(paywall.contains("$2.99 per month") && !paywall.contains("$19.99 per year"))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("an empty TMPDIR is one that is not set: the folder is not made in the root of the system")
    func emptyTemporaryFolder() async throws {
        try await offPool {
            func folders() throws -> Set<String> {
                let names = try FileManager.default.contentsOfDirectory(atPath: "/")
                return Set(names.filter { $0.hasPrefix("paywall-preview-") })
            }
            let before = try folders()
            let shop = try RunningShop(["--quiet"], temporaryFolder: "")
            #expect(try folders() == before)
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("an action of the console that is not possible is refused with its reason, and changes nothing")
    func refusal() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            let token = "token=\(shop.token)"
            let refund = try shop.request("POST", "/console/refund?value=7&\(token)")
            #expect(refund.status == 400 && refund.body.contains("7"))
            #expect(try shop.request("POST", "/console/advance?value=age&\(token)").status == 400)
            #expect(try shop.request("POST", "/console/explode?\(token)").status == 404)
            #expect(try shop.request("POST", "/console/ask-to-buy").status == 403)
            #expect(!(try shop.request("GET", "/console").body.contains("Ask to Buy is on")))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("[OTP-8.6] the log for support can be downloaded")
    func support() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.post("/console/spoil-next")
            try shop.buy(Self.export)
            _ = try shop.wait(for: "href=\"/support.json?about=paywall\"")
            let log = try shop.request("GET", "/support.json")
            #expect(log.body.contains("\"feature\":\"\(Self.export)\"") && log.body.contains("\"verification\":"))
            #expect(try shop.request("GET", "/support.json?about=purchase").status == 404)
            #expect(try shop.request("GET", "/support.json?about=restore").status == 200)
            #expect(log.headers["content-type"] == "application/json" && log.body.contains("signature-invalid"))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("the script and the style sheet are files of their own, and a port in use is an error")
    func files() async throws {
        try await offPool {
            let shop = try RunningShop([])
            let script = try shop.request("GET", "/shop.js")
            #expect(script.headers["content-type"] == "text/javascript; charset=utf-8" && script.body.contains("fetch"))
            #expect(try shop.request("GET", "/shop.css").headers["content-type"] == "text/css; charset=utf-8")
            for path in ["/", "/account", "/console", "/terms", "/privacy"] {
                let page = try shop.request("GET", path).body
                #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick"))
                #expect(page.contains("<html lang=\"en\" dir=\"ltr\">"))
            }
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

    @Test("the file of --output has the address while the shop runs")
    func output() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "address")
        try await offPool {
            let process = Process()
            let errors = Pipe()
            process.executableURL = URL(fileURLWithPath: try BuiltTool.paywallPreview.path)
            process.arguments = ["--output", file.path()]
            process.standardError = errors
            try process.run()
            // The note comes after the address. A process that hangs ends with the time limit of its group.
            var notes = Data()
            while !String(decoding: notes, as: UTF8.self).contains("press Control-C") {
                let more = errors.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                notes += more
            }
            let address = URL(string: try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines))
            _ = try SocketClient(port: UInt16(address?.port ?? 0))
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["address"])
        }
    }

    @Test("a folder that other users can change, or that is a link, is refused for the keys of the store")
    func unsafeFolders() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "unsafe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (open, link) = (folder.appending(path: "open"), folder.appending(path: "link"))
        try FileManager.default.createDirectory(
            at: open, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open.path())
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
        try await offPool {
            for (folder, reason) in [(open, "can be changed by other users"), (link, "is a symbolic link")] {
                let failure = #expect(throws: RunningShop.Failure.self) {
                    try RunningShop(["--data", folder.path()])
                }
                #expect(failure?.code == 2 && failure?.text.contains(reason) == true, "\(failure?.text ?? "")")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: open.path()) == [])
    }

    @Test("a shop buys and records also while clients hold as many connections as they get")
    func manyConnections() async throws {
        try await offPool {
            let shop = try RunningShop([], descriptors: 200)
            let buyer = try SocketClient(port: shop.port)
            func ask(_ method: String, _ target: String) throws -> SocketClient.Answer {
                try buyer.send("\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(shop.port)\r\n\r\n")
                return try buyer.readAnswer()
            }
            // The server has accepted the connections of the buyer before those that follow.
            let position = try #require(try ask("GET", "/").body.firstMatch(of: /data-position="([^"]*)"/)).1
            let events = try EventClient(port: shop.port, path: "/events?after=\(position)")
            let others = try (0..<300).map { _ in try SocketClient(port: shop.port) }
            let steps = [
                ("/paywall/open?value=\(Self.export)&", "data-post=\"/paywall/buy\""),
                ("/paywall/buy?value=\(Self.export)&", "data-post=\"/sheet/confirm\""),
                ("/sheet/confirm?value=1&", "It is unlocked now."),
            ]
            for (target, text) in steps {
                #expect(try ask("POST", "\(target)token=\(shop.token)").status == 200)
                while try !ask("GET", "/").body.contains(text) { _ = try #require(try events.next()) }
            }
            if let count = shop.descriptorCount { #expect(count < 160, "some are left for files") }
            withExtendedLifetime(others) {}
            #expect(shop.interrupt() == 0)
        }
    }
}
