#if !canImport(Security)
    public import PurchaseCore
    public import ReceiptVerification

    /// The keys of a sealed store in the Secret Service of a desktop, such as GNOME Keyring, KWallet or KeePassXC.
    ///
    /// ```swift
    /// let keys = SecretServiceKeys(store: "com.example.notes")
    /// let purchases = try await PurchaseStack(setup, in: folder, keys: keys)
    /// ```
    ///
    /// The service encrypts its collections with the user's login password, so a copy of the disk without that password
    /// reveals no key. It does not protect against other programs of the session, which can ask for any key.
    /// <doc:TheSealedStore> says more.
    ///
    /// Each key is an item of the default collection, which is added and deleted but never changed. The user is never
    /// asked: keys that are locked are an error. The library is `libsecret-1.so.0`, which is opened at the first call;
    /// a process that does not use this provider needs neither it nor GLib.
    ///
    /// libsecret uses the one connection of the process to the session bus. While a call runs, the end of the bus does
    /// not end the process, which is GLib's default; then the connection has its former setting again. An app that uses
    /// GLib itself gets that connection with `g_bus_get` before the first call and keeps it, so that its signals go to
    /// the app's main loop.
    ///
    /// Each call waits on a thread of the provider's own, one after the other, and at most until the deadline. An
    /// answer that comes later is ignored.
    public struct SecretServiceKeys: SealingKeyProvider {
        private let store: String
        private let deadline: Int64
        private let environment: PurchaseEnvironment
        private let thread: SecretServiceThread
        /// Whether the first key is made if there is none.
        private let makesFirst: Bool

        /// Names the keys of one store; nothing is opened until they are needed.
        ///
        /// - Parameters:
        ///   - store: The name of the store, which no other store of the user has, such as `com.example.notes`.
        ///   - deadline: The longest time, in milliseconds, that a call waits for the service.
        ///   - environment: The timer of the deadline.
        public init(store: String, deadline: Int64 = 10_000, environment: PurchaseEnvironment = .system) {
            self.init(store: store, deadline: deadline, environment: environment, makesFirst: true)
        }

        /// - Parameters:
        ///   - library: The name of libsecret.
        ///   - makesFirst: Whether the first key is made if there is none; otherwise that is an error.
        package init(
            store: String, deadline: Int64 = 10_000, environment: PurchaseEnvironment = .system,
            library: String = "libsecret-1.so.0", makesFirst: Bool = true
        ) {
            self.store = store
            self.deadline = deadline
            self.environment = environment
            self.makesFirst = makesFirst
            thread = SecretServiceThread(library)
        }

        /// Returns the keys of the service, and makes the first one if there is none.
        ///
        /// - Throws: ``SealedStoreError``, with the code `library-missing`, `key-service-missing`, `keys-locked` or
        ///   `keys-timed-out` if they cannot be read now, and with `not-a-key` if something else has the place of a
        ///   key.
        public func keys() async throws(SealedStoreError) -> SealingKeys {
            try await ask { [store, makesFirst] calls throws(SealedStoreError) in
                let session = try SecretSession(calls)
                if let keys = try session.keys(of: store) { return keys.keys }
                guard makesFirst else {
                    throw SealedStoreError(.keyUnknown, "the Secret Service has no key of \(store)")
                }
                // Another process can make the first key at the same time.
                return try SecretLock.hold(of: store, calls) { () throws(SealedStoreError) in
                    if let keys = try session.keys(of: store) { return keys.keys }
                    return try Self.add(1, to: session, store)
                }
            }
        }

        /// Makes a new current key; several processes can do so at the same time.
        public func makeKey() async throws(SealedStoreError) -> SealingKeys {
            try await ask { [store] calls throws(SealedStoreError) in
                let session = try SecretSession(calls)
                return try SecretLock.hold(of: store, calls) { () throws(SealedStoreError) in
                    let (number, overflows) = (try session.keys(of: store)?.latest ?? 0).addingReportingOverflow(1)
                    guard !overflows else {
                        throw SealedStoreError(.full, "the keys of \(store) in the Secret Service have no next number")
                    }
                    return try Self.add(number, to: session, store)
                }
            }
        }

        /// Deletes the items of earlier keys.
        public func forget(_ keys: [SealingKey]) async throws(SealedStoreError) {
            try await ask { [store] calls throws(SealedStoreError) in
                let session = try SecretSession(calls)
                let current = try session.keys(of: store)?.keys.current
                try session.delete(keys.filter { $0 != current }, of: store)
            }
        }

        /// Adds a key, and returns the keys that the service then has.
        private static func add(
            _ number: UInt64, to session: borrowing SecretSession, _ store: String
        ) throws(SealedStoreError) -> SealingKeys {
            let key: SealingKey
            do throws(CryptoFault) {
                key = try SealingKey.random()
            } catch {
                throw SealedStoreError(error)
            }
            try session.add(key, number: number, of: store)
            guard let keys = try session.keys(of: store)?.keys, ([keys.current] + keys.earlier).contains(key) else {
                throw SealedStoreError(.keysUnavailable, "the Secret Service has not kept a new key of \(store)")
            }
            return keys
        }

        private func ask<Answer: Sendable>(
            _ operation: @escaping @Sendable (SecretCalls) throws(SealedStoreError) -> Answer
        ) async throws(SealedStoreError) -> Answer {
            let cancellation = SecretCancellation()
            return try await environment.timer.keyAnswer(within: deadline) { [thread] () throws(SealedStoreError) in
                let result = await withTaskCancellationHandler {
                    await thread.result(of: operation, cancellation)
                } onCancel: {
                    cancellation.cancel()
                }
                return try result.get()
            }
        }
    }

    /// Runs one operation after the other on a thread of its own.
    ///
    /// An operation whose caller has gone owns everything that it uses: the library, the calls, its session and its
    /// copies of names and keys. So it can end whenever the service lets it, and until then no other one starts a
    /// thread.
    private actor SecretServiceThread {
        private let executor = ThreadExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        private let name: String
        private var library: SecretLibrary?

        init(_ name: String) {
            self.name = name
        }

        func result<Answer: Sendable>(
            of operation: @Sendable (SecretCalls) throws(SealedStoreError) -> Answer,
            _ cancellation: SecretCancellation
        ) -> Result<Answer, SealedStoreError> {
            do throws(SealedStoreError) {
                guard !cancellation.isCancelled else {
                    throw SealedStoreError(.keysTimedOut, "the Secret Service was not asked in time")
                }
                let calls = try SecretCalls(try opened())
                cancellation.cover(calls)
                return .success(try operation(calls))
            } catch {
                return .failure(error)
            }
        }

        private func opened() throws(SealedStoreError) -> SecretLibrary {
            if let library { return library }
            let opened = try SecretLibrary(name)
            library = opened
            return opened
        }
    }
#endif
