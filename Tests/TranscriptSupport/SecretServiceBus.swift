#if os(Linux)
    internal import Foundation
    internal import Glibc

    /// A message bus of its own with a Secret Service of its own, for one test.
    package final class SecretServiceBus: Sendable {
        /// What is on the bus.
        package enum Service {
            case keyring
            /// A keyring without a collection, because no password has unlocked one.
            case emptyKeyring
            /// A program that the bus starts as the service, and that never becomes it.
            case silent
            case none
        }

        private static let programs = [
            "dbus-daemon", "dbus-send", "dbus-monitor", "gnome-keyring-daemon", "secret-tool",
        ]
        private static let library = "libsecret-1.so.0"

        /// Whether the programs and the library are installed.
        package static let isAvailable: Bool = {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let hasPrograms = programs.allSatisfy { name in
                folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
            }
            guard hasPrograms, let opened = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL) else { return false }
            unsafe dlclose(opened)
            return true
        }()

        /// Why the tests are skipped without them.
        package static let requirement =
            "libsecret-1-0, libsecret-tools, gnome-keyring and dbus are not all installed: Tools/test installs them"

        private let folder: String
        private let daemon = Process()
        /// What a program needs to use the bus.
        package let environment: [String: String]

        package init(_ service: Service = .keyring) throws {
            // The path of a socket has at most 107 bytes.
            folder = "/tmp/bus-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(
                atPath: "\(folder)/services", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            environment = [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder, "XDG_RUNTIME_DIR": folder,
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus",
                // Fills what is freed, so that a use of it is noticed.
                "MALLOC_PERTURB_": "165",
            ]
            try writeConfiguration(service)
            let output = Pipe()
            daemon.executableURL = URL(filePath: "/usr/bin/env")
            daemon.arguments = ["dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--print-address=1"]
            daemon.environment = environment
            daemon.standardOutput = output
            daemon.standardError = FileHandle.nullDevice
            try daemon.run()
            // The bus prints its address when it accepts connections.
            guard !output.fileHandleForReading.availableData.isEmpty else { throw Failure("dbus-daemon has ended") }
        }

        deinit {
            resumeService()
            // A thread of the tests can have passed its signal mask on, so the bus would not notice another signal. The
            // keyring ends with its bus.
            kill(daemon.processIdentifier, SIGKILL)
            daemon.waitUntilExit()
            try? FileManager.default.removeItem(atPath: folder)
        }

        private func writeConfiguration(_ service: Service) throws {
            let configuration = """
                <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
                <busconfig>
                  <type>session</type>
                  <listen>unix:path=\(folder)/bus</listen>
                  <servicedir>\(folder)/services</servicedir>
                  <policy context="default">
                    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
                  </policy>
                </busconfig>
                """
            try Data(configuration.utf8).write(to: URL(filePath: "\(folder)/bus.conf"))
            try Data("password".utf8).write(to: URL(filePath: "\(folder)/password"))
            let keyring = "gnome-keyring-daemon --foreground --components=secrets"
            let command: String
            switch service {
            case .keyring: command = "exec \(keyring) --unlock < \(folder)/password"
            case .emptyKeyring: command = "exec \(keyring)"
            // It ends with its bus too.
            case .silent: command = "exec dbus-monitor > /dev/null"
            case .none: return
            }
            let script = "\(folder)/service.sh"
            try Data("#!/bin/sh\necho $$ > \(folder)/pid\n\(command)\n".utf8).write(to: URL(filePath: script))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
            try Data("[D-BUS Service]\nName=org.freedesktop.secrets\nExec=\(script)\n".utf8)
                .write(to: URL(filePath: "\(folder)/services/org.freedesktop.secrets.service"))
        }

        // MARK: Service

        private var servicePID: pid_t? {
            FileManager.default.contents(atPath: "\(folder)/pid").flatMap { data in
                pid_t(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }

        /// Stops the service, so that it answers nothing until it is resumed.
        package func stopService() throws {
            guard let servicePID, kill(servicePID, SIGSTOP) == 0 else { throw Failure("the service does not run") }
        }

        package func resumeService() { if let servicePID { kill(servicePID, SIGCONT) } }

        /// Locks the collection for new items, as a desktop does with its screen.
        package func lock() throws {
            try run(
                "dbus-send",
                [
                    "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
                    "org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/aliases/default",
                ])
        }

        /// Stores a secret in the place of a key, as a user can.
        package func store(_ secret: String, number: String, of store: String) throws {
            try run(
                "secret-tool",
                [
                    "store", "--label=a key", "xdg:schema", "receipt-verification.SealingKey", "store", store,
                    "number", number,
                ], input: secret)
        }

        private func run(_ program: String, _ arguments: [String], input: String = "") throws {
            let process = Process()
            let (source, output) = (Pipe(), Pipe())
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [program] + arguments
            process.environment = environment
            process.standardInput = source
            process.standardOutput = output
            process.standardError = output
            try process.run()
            try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try source.fileHandleForWriting.close()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure("\(program): \(text)") }
        }
    }

    /// Why a test cannot have its bus.
    package struct Failure: Error {
        package let message: String

        init(_ message: String) {
            self.message = message
        }
    }

    /// A process with a `SecretServiceKeys`, which answers what it is asked.
    package final class SecretServiceProcess: Sendable {
        private let process = Process()
        private let (input, output) = (Pipe(), Pipe())

        /// - Parameter environment: What tells the process where its bus is.
        package init(
            _ environment: [String: String], store: String = "com.example.notes", library: String = "libsecret-1.so.0"
        ) throws {
            process.executableURL = URL(filePath: try BuiltTool.storageWorker.path)
            process.arguments = ["secret-service", store, library]
            // The process needs the path of the toolchain's libraries and the options of sanitizers too.
            process.environment = ProcessInfo.processInfo.environment.filter { name, _ in
                name == "LD_LIBRARY_PATH" || name.hasSuffix("SAN_OPTIONS")
            }.merging(environment) { $1 }
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        deinit {
            // Also while its calls wait.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        package func send(_ line: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        }

        /// Returns the next line; empty if the process has ended.
        package func answer() async -> String {
            await withCheckedContinuation { continuation in
                // The threads of the tasks are as few as the cores.
                Thread.detachNewThread { [self] in
                    var line: [UInt8] = []
                    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0a {
                        line.append(byte)
                    }
                    continuation.resume(returning: String(decoding: line, as: UTF8.self))
                }
            }
        }

        package func ask(_ line: String) async throws -> String {
            try send(line)
            return await answer()
        }
    }

    /// The socket of a bus that accepts connections and never answers.
    package final class SilentBus: Sendable {
        private let folder = "/tmp/bus-\(UUID().uuidString.prefix(8))"
        private let listener: Int32

        package var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus"] }

        package init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = [UInt8]("\(folder)/bus".utf8)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
            let isBound = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard isBound == 0, listen(listener, 8) == 0 else { throw Failure("no socket") }
        }

        deinit {
            close(listener)
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// Waits for a connection.
        package func accept() async -> Int32 {
            await onThread { [listener] in Glibc.accept(listener, nil, nil) }
        }

        /// Reads a connection until the other end closes it.
        package func readToEnd(_ connection: Int32) async {
            await onThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                while unsafe read(connection, &buffer, buffer.count) > 0 {}
                close(connection)
            }
        }

        private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: body()) }
            }
        }
    }
#endif
