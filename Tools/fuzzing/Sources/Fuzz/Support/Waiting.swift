internal import Dispatch

/// Runs something asynchronous to its end while the caller waits, as libFuzzer's function must.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    // Safe: written before the signal, read after the wait.
    nonisolated(unsafe) var result: Result<Value, any Error>?
    Task.detached {
        do { result = .success(try await body()) } catch { result = .failure(error) }
        done.signal()
    }
    done.wait()
    return try must(result, "a result").get()
}
