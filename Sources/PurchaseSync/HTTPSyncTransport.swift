public import Foundation
public import PurchaseCore
import ReceiptTypes

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends purchases to the app's own server by HTTP.
///
/// Each purchase is one POST request with the JSON object of ``/PurchaseCore/PurchaseSubmission/json``. The body of the
/// answer is not read; its status says what has happened:
///
/// | status | meaning, or the code of the `SyncError` |
/// |---|---|
/// | 200 to 299 | the server has stored the purchase |
/// | 400, 409, 413, 422 | `rejected`: the server refuses the purchase |
/// | 401, 403 | `unauthorized` |
/// | 408, 425, 429, 500 to 599 | `unavailable`, with the seconds of `Retry-After` |
/// | any other, also a redirect | `unknown-answer` |
///
/// A redirect is not followed, because the request has the user's credentials.
public final class HTTPSyncTransport: SyncTransport {
    private let address: URL
    private let authorization: @Sendable () async throws -> String?
    private let session: URLSession
    private let answers = HTTPAnswers()

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - address: The address of the requests: `https`, or `http` with the host `127.0.0.1`, `::1` or `localhost`.
    ///   - configuration: The configuration of the session. In any case, no cookies, no credentials and no answers
    ///     are kept, because a session can outlive a user.
    ///   - authorization: Returns the value of the header `Authorization` for a request, such as `Bearer` with a token,
    ///     or nil for none. If it throws a `SyncError`, that is the error; any other is `unauthorized`.
    /// - Throws: A `SyncError` with the code `insecure-address`.
    public init(
        address: URL,
        configuration: URLSessionConfiguration = .ephemeral,
        authorization: @escaping @Sendable () async throws -> String? = { nil }
    ) throws(SyncError) {
        guard address.isSecure else {
            throw SyncError(.insecureAddress, "the address of the server is neither https nor this machine")
        }
        self.address = address
        self.authorization = authorization
        let configuration = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }

    deinit {
        // The session keeps its delegate until then. No request is left, because each of them keeps the transport.
        session.finishTasksAndInvalidate()
    }

    /// Sends a purchase, and returns once the server has answered with success.
    public func send(_ submission: PurchaseSubmission) async throws(SyncError) {
        var request = URLRequest(url: address)
        request.httpMethod = "POST"
        request.httpBody = Data(submission.json.description.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        do {
            if let value = try await authorization() { request.setValue(value, forHTTPHeaderField: "Authorization") }
        } catch let error as SyncError {
            throw error
        } catch {
            throw SyncError(.unauthorized, "the app has no credentials for the server", underlying: error)
        }
        switch await answers.answer(to: session.dataTask(with: request)) {
        case .success(let response): try Self.check(response)
        case .failure(let error):
            let isTimeout = (error as? URLError)?.code == .timedOut
            throw SyncError(
                isTimeout ? .timedOut : .unreachable, "the server has not answered the request", underlying: error)
        }
    }

    private static func check(_ response: URLResponse) throws(SyncError) {
        guard let response = response as? HTTPURLResponse else {
            throw SyncError(.unknownAnswer, "the answer is not HTTP")
        }
        let status = response.statusCode
        let message = "the server has answered with status \(status)"
        switch status {
        case 200...299: return
        case 400, 409, 413, 422: throw SyncError(.rejected, message)
        case 401, 403: throw SyncError(.unauthorized, message)
        case 408, 425, 429, 500...599:
            // A date instead of seconds is left out: it is measured by a clock that need not agree with the device's.
            let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { UInt32($0) }
            throw SyncError(.unavailable, message, retryAfterMilliseconds: seconds.map { Int64($0) * 1_000 })
        default: throw SyncError(.unknownAnswer, message)
        }
    }
}

extension URL {
    /// Whether a request to the address cannot be read on the way.
    fileprivate var isSecure: Bool {
        switch scheme?.lowercased() {
        case "https": host() != nil
        case "http": ["127.0.0.1", "::1", "localhost"].contains(host()?.lowercased())
        default: false
        }
    }
}
