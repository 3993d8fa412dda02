import Foundation
import Testing
import TranscriptSupport

#if os(Linux)
    /// Runs `purchases` over the files of an app whose key is in the Secret Service.
    @Suite(
        "purchases with a key in the Secret Service",
        .enabled(if: SecretServiceBus.isAvailable, Comment(rawValue: SecretServiceBus.requirement)),
        .timeLimit(.minutes(5)))
    struct SecretServiceFlagTests {
        @Test("the key is read by its name, and one that is not there is an error and is not made")
        func readsKey() async throws {
            let runner = try TranscriptRunner(.purchases, samples: "Tests/PurchasesToolTests/Transcripts")
            let bus = try SecretServiceBus()
            let app = try SecretServiceProcess(bus.environment)
            #expect(try await app.ask("database \(runner.folder.appending(path: "app").path())") == "made")
            func run(_ command: String) throws -> (code: Int32, errors: [String]) {
                let address = bus.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
                let outcome = try runner.run("DBUS_SESSION_BUS_ADDRESS=\(address) purchases \(command) -d app")
                return (Int32(outcome.code), outcome.errorOutput)
            }
            #expect(try run("check --secret-service com.example.notes").code == 0)
            for _ in 0..<2 {
                let other = try run("check --secret-service com.example.other")
                #expect(other.code == 2)
                #expect(other.errors.first?.contains("(key-unknown)") == true, "\(other.errors)")
            }
            try bus.lock()
            let locked = try run("check --secret-service com.example.notes")
            #expect(locked.code == 2)
            #expect(locked.errors.first?.contains("(keys-locked)") == true, "\(locked.errors)")
        }
    }
#endif
