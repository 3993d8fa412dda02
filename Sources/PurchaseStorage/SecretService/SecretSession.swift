internal import PurchaseCore

#if !canImport(Security)
    internal import CSecretService
    internal import ReceiptVerification

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// The Secret Service, as one thread uses it for one operation.
    @safe
    struct SecretSession: ~Copyable {
        private let raw: OpaquePointer
        private let calls: SecretCalls

        init(_ calls: SecretCalls) throws(SealedStoreError) {
            var pointer: OpaquePointer?
            try unsafe calls.withRaw { (library, cancellation) throws(SealedStoreError) in
                try SecretServiceFailure.check { unsafe ss_session_new(library, cancellation, &pointer, &$0) }
            }
            guard let pointer = unsafe pointer else { throw SealedStoreError(.outOfResources, "out of memory") }
            self.calls = calls
            unsafe raw = pointer
        }

        deinit { unsafe ss_session_free(raw) }

        /// Returns the keys of a store; nil if the service has none.
        func keys(of store: String) throws(SealedStoreError) -> NumberedKeys? {
            let keys = try withItems(of: store) { (items) throws(SealedStoreError) in try items.keys(of: store) }
            // A service need not list the items of a locked collection, so a key that is not there could be locked.
            if keys == nil { try checkCollection() }
            return keys
        }

        /// Throws an error unless a new item can be added.
        private func checkCollection() throws(SealedStoreError) {
            var isLocked = false
            try SecretServiceFailure.check { unsafe ss_session_check_collection(raw, &isLocked, &$0) }
            guard !isLocked else { throw NumberedKeys.locked }
        }

        func add(_ key: SealingKey, number: UInt64, of store: String) throws(SealedStoreError) {
            let identifier = try key.identifierText()
            let label = "Key of the sealed store \(store)"
            try SecretServiceFailure.check { message in
                unsafe key.bytes.withUnsafeBufferPointer { bytes in
                    unsafe ss_session_add(
                        raw, label, store, "\(number)", identifier, bytes.baseAddress, bytes.count, &message)
                }
            }
        }

        /// Deletes the items of keys.
        func delete(_ keys: [SealingKey], of store: String) throws(SealedStoreError) {
            try withItems(of: store) { (items) throws(SealedStoreError) in
                for index in 0..<items.count {
                    if keys.contains(try items.key(index, of: store)) { try items.delete(index) }
                }
            }
        }

        private func withItems<Result>(
            of store: String, _ body: (borrowing SecretItems) throws(SealedStoreError) -> Result
        ) throws(SealedStoreError) -> Result {
            var pointer: OpaquePointer?
            try SecretServiceFailure.check { unsafe ss_items_new(raw, store, &pointer, &$0) }
            guard let pointer = unsafe pointer else { throw SealedStoreError(.outOfResources, "out of memory") }
            return try body(unsafe SecretItems(pointer))
        }
    }

    /// The items of a store; they do not outlive their session.
    @safe
    private struct SecretItems: ~Copyable {
        private let raw: OpaquePointer
        let count: Int

        @unsafe
        init(_ raw: OpaquePointer) {
            unsafe self.raw = raw
            count = unsafe ss_items_count(raw)
        }

        deinit { unsafe ss_items_free(raw) }

        /// Returns all keys; nil if there is none.
        func keys(of store: String) throws(SealedStoreError) -> NumberedKeys? {
            var keys: [(number: UInt64, key: SealingKey)] = []
            for index in 0..<count {
                guard let number = UInt64(unsafe String(cString: ss_items_number(raw, index))) else {
                    throw SealedStoreError(.notAKey, "a key of \(store) in the Secret Service has no number")
                }
                keys.append((number, try key(index, of: store)))
            }
            return try NumberedKeys(keys)
        }

        func key(_ index: Int, of store: String) throws(SealedStoreError) -> SealingKey {
            guard unsafe !ss_items_is_locked(raw, index) else { throw NumberedKeys.locked }
            // One byte more than a key, so that a longer secret is found to be that.
            var bytes = [UInt8](repeating: 0, count: Seal.keyCount + 1)
            var count = 0
            try SecretServiceFailure.check { message in
                unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                    unsafe ss_items_copy_secret(raw, index, buffer.baseAddress, buffer.count, &count, &message)
                }
            }
            guard let key = SealingKey(bytes: [UInt8](bytes.prefix(count))) else {
                throw SealedStoreError(.notAKey, "a key of \(store) in the Secret Service has \(count) bytes")
            }
            return key
        }

        func delete(_ index: Int) throws(SealedStoreError) {
            try SecretServiceFailure.check { unsafe ss_items_delete(raw, index, &$0) }
        }
    }

    /// The keys of a store in the order in which they were made, the latest first.
    struct NumberedKeys {
        let keys: SealingKeys
        /// The number of the latest key.
        let latest: UInt64

        static let locked = SealedStoreError(.keysLocked, "the keys in the Secret Service are locked")

        /// Sorts keys; nil if there is none.
        init?(_ keys: [(number: UInt64, key: SealingKey)]) throws(SealedStoreError) {
            var entries: [(number: UInt64, name: String, key: SealingKey)] = []
            for (number, key) in keys { entries.append((number, try key.identifierText(), key)) }
            // Two processes that could not lock each other out can have used a number twice. Every process must then
            // take the same key for the current one.
            entries.sort { $0.number != $1.number ? $0.number > $1.number : $0.name < $1.name }
            guard let first = entries.first else { return nil }
            self.keys = SealingKeys(current: first.key, earlier: entries.dropFirst().map(\.key))
            latest = first.number
        }
    }

    /// A lock between all processes of the user's session.
    @safe
    struct SecretLock: ~Copyable {
        private let raw: OpaquePointer

        private init(_ calls: SecretCalls) throws(SealedStoreError) {
            var pointer: OpaquePointer?
            try unsafe calls.withRaw { (library, cancellation) throws(SealedStoreError) in
                try SecretServiceFailure.check { unsafe ss_lock_new(library, cancellation, &pointer, &$0) }
            }
            guard let pointer = unsafe pointer else { throw SealedStoreError(.outOfResources, "out of memory") }
            unsafe raw = pointer
        }

        deinit { unsafe ss_lock_free(raw) }

        /// The time between two questions, in microseconds.
        private static let pause: UInt32 = 2_000

        /// Runs `body` under the lock of a store.
        static func hold<Value>(
            of store: String, _ calls: SecretCalls, _ body: () throws(SealedStoreError) -> Value
        ) throws(SealedStoreError) -> Value {
            let name = try name(of: store)
            let lock = try SecretLock(calls)
            while try !lock.isTaken(name) { usleep(pause) }
            return try lock.whileHeld(body)
        }

        /// Runs `body`; borrowed by this call, the lock lasts as long.
        private func whileHeld<Value>(
            _ body: () throws(SealedStoreError) -> Value
        ) throws(SealedStoreError) -> Value {
            try body()
        }

        private func isTaken(_ name: String) throws(SealedStoreError) -> Bool {
            var isTaken = false
            try SecretServiceFailure.check { unsafe ss_lock_try(raw, name, &isTaken, &$0) }
            return isTaken
        }

        /// A name of the bus, which has fewer characters than the name of a store can have.
        private static func name(of store: String) throws(SealedStoreError) -> String {
            do throws(CryptoFault) {
                return "receipt_verification.SealingKeys.s\(try SHA256Digest.of(bytes: [UInt8](store.utf8)))"
            } catch {
                throw SealedStoreError(error)
            }
        }
    }
#endif
