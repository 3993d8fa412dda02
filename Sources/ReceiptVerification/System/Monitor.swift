#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A value that one thread at a time can access, and whose changes threads can wait for.
// Safe to share: only `update` and `wait` access `value`, and only while they hold the mutex. Mutex and condition stay
// at one address each, which `deinit` frees when no thread can hold or await them.
@safe
final class Monitor<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let change: UnsafeMutablePointer<pthread_cond_t>

    init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe change = .allocate(capacity: 1)
        unsafe change.initialize(to: pthread_cond_t())
        // With default attributes, these calls cannot fail.
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(change, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(change)
        unsafe pthread_mutex_destroy(mutex)
        unsafe change.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value, and wakes all waiting threads.
    func update<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_mutex_unlock(mutex)
            unsafe pthread_cond_broadcast(change)
        }
        return body(&value)
    }

    /// Runs `body` with exclusive access, now and after each change, until it returns a result.
    ///
    /// Then wakes all other waiting threads.
    func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_mutex_unlock(mutex)
            unsafe pthread_cond_broadcast(change)
        }
        while true {
            if let result = body(&value) { return result }
            unsafe pthread_cond_wait(change, mutex)
        }
    }
}
