internal import PurchaseCore
internal import ReceiptTypes

/// Keeps the open purchases of a customer across launches, so that each counts for the offer that the customer saw.
@MainActor
final class OpenPurchaseFile {
    /// The milliseconds after which a purchase that has not arrived counts for no offer any more: thirty days.
    private static let keptMilliseconds: Int64 = 30 * 86_400_000
    private static let maximumSize = 65_536
    private static let maximumCount = 100
    private static let maximumEventIDSize = 64

    private let file: BoundedFile
    private let writer: DocumentWriter
    private let log: any PurchaseLog
    private let clock: @Sendable () -> Timestamp
    private var isLoaded = false
    private var latestDocument: [UInt8] = []

    init(_ file: BoundedFile, log: any PurchaseLog, clock: @escaping @Sendable () -> Timestamp) {
        self.file = file
        writer = DocumentWriter(file, reportingTo: log, as: .openPurchasesFailed)
        self.log = log
        self.clock = clock
    }

    /// Returns the purchases of earlier launches; none if the file cannot be read, which is logged, and at a second
    /// call.
    ///
    /// - Parameter makeEventID: Makes an id for a purchase that an earlier version has written without one.
    func load(_ services: PaywallServices, makeEventID: () -> AnalyticsEvent.ID) async -> [BegunPurchase] {
        guard !isLoaded else { return [] }
        do throws(DocumentError) {
            let bytes = try await file.read()
            guard !isLoaded else { return [] }
            isLoaded = true
            return try bytes.map { (bytes) throws(DocumentError) in
                try purchases(json: bytes, services, makeEventID: makeEventID)
            } ?? []
        } catch {
            log.log(PurchaseLogEvent(.openPurchasesFailed, detail: error.description))
            return []
        }
    }

    private func purchases(
        json: [UInt8], _ services: PaywallServices, makeEventID: () -> AnalyticsEvent.ID
    ) throws(DocumentError) -> [BegunPurchase] {
        guard json.count <= Self.maximumSize, DecodedJSON.depth(of: json) <= 3,
            let object = (try? DecodedJSON.value(of: json))?.object, object["schema"] == .integer(1),
            let elements = object["purchases"]?.elements
        else {
            throw DocumentError(
                .malformed, at: "the open purchases", expected: "a list of purchases", found: "another text")
        }
        let oldest = clock().adding(milliseconds: -Self.keptMilliseconds)
        var purchases: [BegunPurchase] = []
        for element in elements where purchases.count < Self.maximumCount {
            guard let fields = element.object, let productID = fields["product"]?.text,
                let date = fields["date"]?.integer.flatMap({ Timestamp(milliseconds: $0) }), date > oldest
            else { continue }
            let origin = BegunPurchase.Origin(
                offerID: fields["offer"]?.text.flatMap { OfferID(rawValue: $0) },
                featureID: fields["feature"]?.text.map { FeatureID(rawValue: $0) })
            // It counts if it arrives, and stops no other purchase: the purchase service knows what is paid.
            let isAwaited = fields["awaitsApproval"] == .boolean(true)
            let eventID = fields["event"]?.text.flatMap { $0.utf8.count <= Self.maximumEventIDSize ? $0 : nil }
            let latestKnown = fields["latestKnown"]?.integer.flatMap { Timestamp(milliseconds: $0) }
            purchases.append(
                BegunPurchase(
                    productID, on: origin, isAwaited ? .awaitingApproval : .notFound,
                    eventID: eventID ?? makeEventID(), start: PurchaseStart(date: date, latestKnown: latestKnown),
                    services))
        }
        return purchases
    }

    /// Forgets what the file has, also if it was not read yet.
    func removeAll() {
        isLoaded = true
        write([])
    }

    /// Writes the purchases by a task of its own. A file that could not be read is not replaced, because it may have
    /// some.
    func write(_ purchases: [BegunPurchase]) {
        guard isLoaded else { return }
        let elements = purchases.suffix(Self.maximumCount).map { purchase -> JSONValue in
            var fields: JSONObject = [
                "product": .string(purchase.productID),
                "date": .integer(purchase.start.date.millisecondsSince1970),
                "awaitsApproval": .boolean(purchase.standing == .awaitingApproval),
                "event": .string(purchase.eventID),
            ]
            fields["latestKnown"] = purchase.start.latestKnown.map { .integer($0.millisecondsSince1970) }
            fields["offer"] = purchase.origin.offerID.map { .string($0.rawValue) }
            fields["feature"] = purchase.origin.featureID.map { .string($0.rawValue) }
            return .object(fields)
        }
        let object: JSONObject = ["schema": .integer(1), "purchases": .array(elements)]
        let document = Array(object.description.utf8)
        guard document != latestDocument else { return }
        latestDocument = document
        writer.write(document)
    }

    /// Returns when the purchases are in the file or the write has failed.
    func flush() async { await writer.flush() }
}
