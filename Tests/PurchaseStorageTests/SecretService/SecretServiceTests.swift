import Testing
import TranscriptSupport

#if os(Linux)
    @Suite(
        "Keys in the Secret Service [OTP-9.1]",
        .enabled(if: SecretServiceBus.isAvailable, Comment(rawValue: SecretServiceBus.requirement)),
        .timeLimit(.minutes(5)))
    struct SecretServiceTests {
        @Test("a key is made once and read back by another process, and each store has its own")
        func storesAndReads() async throws {
            let bus = try SecretServiceBus()
            let first = try await SecretServiceProcess(bus.environment).ask("keys")
            #expect(first.split(separator: ".").count == 8, "\(first)")
            #expect(try await SecretServiceProcess(bus.environment).ask("keys") == first)
            let other = try await SecretServiceProcess(bus.environment, store: "com.example.other").ask("keys")
            #expect(other.split(separator: ".").count == 8 && other != first)
        }

        @Test("no library of the desktop is in a process before it asks for a key")
        func opensLate() async throws {
            let bus = try SecretServiceBus()
            let process = try SecretServiceProcess(bus.environment)
            #expect(try await process.ask("libraries") == "without GLib")
            _ = try await process.ask("keys")
            #expect(try await process.ask("libraries") == "with GLib")
        }

        @Test("of several processes that need the first key, one makes it")
        func makesOneKey() async throws {
            let bus = try SecretServiceBus()
            for round in 0..<3 {
                let processes = try (0..<4).map { _ in
                    try SecretServiceProcess(bus.environment, store: "com.example.\(round)")
                }
                for process in processes { try process.send("keys") }
                var answers: Set<String> = []
                for process in processes { answers.insert(await process.answer()) }
                #expect(answers.count == 1 && answers.first?.contains(" ") == false, "\(answers)")
            }
        }

        @Test("a new key is current, the earlier ones stay until they are forgotten, and every process sees it")
        func rotates() async throws {
            let bus = try SecretServiceBus()
            let process = try SecretServiceProcess(bus.environment)
            let first = try await process.ask("keys")
            let second = try await process.ask("make")
            #expect(second.hasSuffix(" \(first)"))
            let third = try await process.ask("make")
            #expect(third.hasSuffix(" \(second)"))
            #expect(try await SecretServiceProcess(bus.environment).ask("keys") == third)
            let current = try #require(third.split(separator: " ").first)
            #expect(try await process.ask("forget") == current)
            #expect(try await SecretServiceProcess(bus.environment).ask("keys") == current)
        }

        @Test("keys that processes make at the same time are all kept")
        func parallelRotations() async throws {
            let bus = try SecretServiceBus()
            let processes = try (0..<4).map { _ in try SecretServiceProcess(bus.environment) }
            for process in processes { try process.send("make") }
            var made: Set<Substring> = []
            for process in processes {
                let answer = await process.answer()
                made.insert(try #require(answer.split(separator: " ").first))
            }
            let keys = try await SecretServiceProcess(bus.environment).ask("keys").split(separator: " ")
            #expect(made.count == 4 && Set(keys) == made && keys.count == 4)
        }

        @Test("a locked collection is an error with and without a key in it, and no one is asked to unlock it")
        func locked() async throws {
            let bus = try SecretServiceBus()
            let process = try SecretServiceProcess(bus.environment)
            _ = try await process.ask("keys")
            let other = try SecretServiceProcess(bus.environment, store: "com.example.other")
            try bus.lock()
            for command in ["keys", "make", "forget"] {
                #expect(try await process.ask(command) == "keys-locked")
                #expect(try await other.ask(command) == "keys-locked")
            }
        }

        @Test(
            "something else in the place of a key is an error",
            arguments: ["", "short", String(repeating: "x", count: 33)])
        func wrongLength(secret: String) async throws {
            let bus = try SecretServiceBus()
            try bus.store(secret, number: "1", of: "com.example.notes")
            let process = try SecretServiceProcess(bus.environment)
            for command in ["keys", "make", "forget"] { #expect(try await process.ask(command) == "not-a-key") }
        }

        @Test("an item without a number is no key, and a number without a successor ends the rotations")
        func wrongNumber() async throws {
            let bus = try SecretServiceBus()
            let key = String(repeating: "x", count: 32)
            try bus.store(key, number: "\(UInt64.max)", of: "com.example.notes")
            let process = try SecretServiceProcess(bus.environment)
            #expect(try await process.ask("keys").split(separator: ".").count == 8)
            #expect(try await process.ask("make") == "full")
            try bus.store(key, number: "first", of: "com.example.notes")
            #expect(try await process.ask("keys") == "not-a-key")
        }

        @Test("no bus, no service on it, a service without a place for keys, and no library are errors of their own")
        func missing() async throws {
            let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/no-such-bus"]
            #expect(try await SecretServiceProcess(nowhere).ask("keys") == "key-service-missing")
            #expect(try await SecretServiceProcess([:]).ask("keys") == "key-service-missing")
            let empty = try SecretServiceBus(.none)
            #expect(try await SecretServiceProcess(empty.environment).ask("keys") == "key-service-missing")
            let unused = try SecretServiceBus(.emptyKeyring)
            #expect(try await SecretServiceProcess(unused.environment).ask("keys") == "key-service-missing")
            let absent = try SecretServiceProcess(unused.environment, library: "libsecret-of-no-version.so")
            #expect(try await absent.ask("keys") == "library-missing")
            // A library without the functions.
            #expect(
                try await SecretServiceProcess(unused.environment, library: "libc.so.6").ask("keys")
                    == "library-missing")
        }

        @Test("a service that never answers is an error after the deadline, and later calls work when it answers again")
        func neverAnswers() async throws {
            let bus = try SecretServiceBus()
            let process = try SecretServiceProcess(bus.environment)
            let key = try await process.ask("keys")
            try bus.stopService()
            for _ in 0..<3 { #expect(try await process.ask("keys within 20") == "keys-timed-out") }
            bus.resumeService()
            #expect(try await process.ask("keys") == key)
            let silent = try SecretServiceBus(.silent)
            #expect(try await SecretServiceProcess(silent.environment).ask("make within 20") == "keys-timed-out")
        }

        @Test("a call that is given up ends and closes its connection, and its thread takes the next call")
        func givenUpCalls() async throws {
            let bus = try SilentBus()
            let process = try SecretServiceProcess(bus.environment)
            for _ in 0..<5 {
                try process.send("held keys")
                let connection = await bus.accept()
                #expect(try await process.ask("pass") == "keys-timed-out")
                await bus.readToEnd(connection)
            }
        }

        @Test("calls that wait for the service leave the threads to other tasks")
        func waitingThreads() async throws {
            let bus = try SilentBus()
            #expect(try await SecretServiceProcess(bus.environment).ask("crowd") == "free")
        }
    }
#endif
