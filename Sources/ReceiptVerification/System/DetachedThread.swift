#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Starts threads for work that blocks or takes long.
///
/// A task would occupy one of the few threads that all tasks share.
enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread that runs `body`.
    ///
    /// Returns false if the system cannot create a thread.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else {
            unsafe work.release()
            return false
        }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let status = unsafe create(&attributes, work.toOpaque())
        // Safe: a thread that was created owns the reference; otherwise it is released here.
        if status != 0 { unsafe work.release() }
        return status == 0
    }

    @unsafe
    private static func create(_ attributes: inout pthread_attr_t, _ argument: UnsafeMutableRawPointer) -> Int32 {
        // Safe: `start` has retained the work for the new thread only.
        #if canImport(Darwin)
            var thread: pthread_t?
            return unsafe pthread_create(
                &thread, &attributes,
                { argument in
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }, argument
            )
        #else
            var thread = pthread_t()
            return unsafe pthread_create(
                &thread, &attributes,
                { argument in
                    guard let argument = unsafe argument else { return nil }
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }, argument
            )
        #endif
    }
}
