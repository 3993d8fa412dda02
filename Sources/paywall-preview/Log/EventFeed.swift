internal import PreviewServer
internal import ReceiptTypes

/// Sends events to the pages.
///
/// The shop exists before the server, because the server's pages show it. What it sends before is in the first page.
final class EventFeed: Sendable {
    /// The name of an event.
    enum Name: String, CaseIterable {
        /// A screen of the app has changed.
        case shop
        /// The log of the core has another entry.
        case log
    }

    private let server = Locked<PreviewServer?>(nil)

    func connect(to server: PreviewServer) { self.server.withLock { $0 = server } }

    func send(_ name: Name, _ object: JSONObject = [:]) {
        server.withLock { $0 }?.publish(name.rawValue, data: object.description)
    }
}
