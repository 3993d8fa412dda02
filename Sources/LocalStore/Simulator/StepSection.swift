internal import PurchaseCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The section in which the steps of a simulator run one after the other.
///
/// A thread that is in the section cannot enter it again: it would wait for itself forever.
// Safe to share: the mutex stays at one address, which `deinit` frees when no thread can be in the section.
@safe
final class StepSection: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        // None of these calls can fail: the type exists, and the attributes need no memory of their own.
        unsafe pthread_mutexattr_init(&attributes)
        unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        unsafe pthread_mutex_init(mutex, &attributes)
        unsafe pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` in the section.
    ///
    /// - Throws: The error of `body`, or ``StoreSimulatorError`` with the code `nested-step` if the calling thread is
    ///   in the section.
    func run<Value>(_ body: () throws -> Value) throws -> Value {
        try enter()
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Runs `body` in the section.
    func run<Value>(_ body: () throws(StoreSimulatorError) -> Value) throws(StoreSimulatorError) -> Value {
        try enter()
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    private func enter() throws(StoreSimulatorError) {
        guard unsafe pthread_mutex_lock(mutex) == 0 else {
            throw StoreSimulatorError(
                .nestedStep,
                "a step of the simulator is running on this thread; its function must call only the engine that it "
                    + "receives")
        }
    }
}
