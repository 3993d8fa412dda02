import Foundation
import ReceiptTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answers to the requests of a session: the status and the headers, without the body and without a redirect.
final class HTTPAnswers: NSObject, URLSessionDataDelegate {
    typealias Answer = Result<URLResponse, any Error>

    private struct Waiting {
        let continuation: CheckedContinuation<Answer, Never>
        /// The latest response. It need not be the last one: a proxy and a server can send others before.
        var response: URLResponse?
    }

    private let waiting = Locked<[Int: Waiting]>([:])

    /// Starts a request, and returns its answer, or the reason that there is none; it is cancelled with the caller.
    func answer(to task: URLSessionDataTask) async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0[task.taskIdentifier] = Waiting(continuation: continuation) }
                if Task.isCancelled { cancel(task) } else { task.resume() }
            }
        } onCancel: {
            cancel(task)
        }
    }

    private func cancel(_ task: URLSessionDataTask) {
        task.cancel()
        end(task) { _ in .failure(CancellationError()) }
    }

    /// Ends the wait for a task with an answer that is made of its latest response.
    private func end(_ task: URLSessionTask, _ answer: (URLResponse?) -> Answer) {
        guard let ended = waiting.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        ended.continuation.resume(returning: answer(ended.response))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        waiting.withLock { $0[dataTask.taskIdentifier]?.response = response }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // Only the last response has a body, and nothing in it is needed.
        end(dataTask) { $0.map(Answer.success) ?? .failure(URLError(.badServerResponse)) }
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        waiting.withLock { $0[task.taskIdentifier]?.response = response }
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task) { response in
            // With an error, the latest response can be that of a proxy.
            if error == nil, let response { return .success(response) }
            return .failure(error ?? URLError(.badServerResponse))
        }
    }
}
