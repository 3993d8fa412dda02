#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A value that one thread at a time can access, for state that is read without suspension.
///
/// It uses a POSIX mutex, because the standard library's `Mutex` needs iOS 18 and ThreadSanitizer does not understand it.
/// Everything that may suspend uses an actor instead.
// Safe to share: only `withLock` accesses `value`, and only while it holds the mutex. The mutex stays at one address,
// which `deinit` frees when no thread can hold the lock.
@safe
final class Synchronized<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ value: Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        // With default attributes, this call cannot fail.
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value. It must not call back.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
