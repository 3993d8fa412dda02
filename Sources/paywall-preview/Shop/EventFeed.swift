internal import PreviewServer
internal import PurchaseCore
internal import ReceiptTypes

/// Sends what the core logs to the pages, as events with the name `log`.
///
/// The core exists before the server, because the server's pages show it. What it logs before is in the first page.
final class EventFeed: PurchaseLog {
    private let server = Locked<PreviewServer?>(nil)

    func connect(to server: PreviewServer) { self.server.withLock { $0 = server } }

    func log(_ event: PurchaseLogEvent) {
        var object: JSONObject = ["kind": .string(event.kind.rawValue)]
        if let product = event.productID { object.append("product", .string(product)) }
        if let transaction = event.transactionID { object.append("transaction", .string(transaction)) }
        object.append("detail", .string(event.detail))
        send("log", object)
    }

    func send(_ name: String, _ object: JSONObject) {
        server.withLock { $0 }?.publish(name, data: object.description)
    }
}
