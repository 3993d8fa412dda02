import Foundation
import ReceiptTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answers to the requests of a session: the first line and the headers, without the body and without a redirect.
final class HTTPAnswers: NSObject, URLSessionDataDelegate {
    typealias Answer = Result<URLResponse, any Error>

    private let waiting = Locked<[Int: CheckedContinuation<Answer, Never>]>([:])

    /// Starts a request, and returns its answer, or the reason that there is none; it is cancelled with the caller.
    func answer(to task: URLSessionDataTask) async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0[task.taskIdentifier] = continuation }
                if Task.isCancelled { cancel(task) } else { task.resume() }
            }
        } onCancel: {
            cancel(task)
        }
    }

    private func cancel(_ task: URLSessionDataTask) {
        task.cancel()
        give(.failure(CancellationError()), to: task)
    }

    private func give(_ answer: Answer, to task: URLSessionTask) {
        waiting.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.resume(returning: answer)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        give(.success(response), to: dataTask)
        completionHandler(.cancel)
        // On Linux, Foundation goes on reading the body after that answer.
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        give(.success(response), to: task)
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let answer: Answer =
            if let response = task.response { .success(response) } else {
                .failure(error ?? URLError(.badServerResponse))
            }
        give(answer, to: task)
    }
}
