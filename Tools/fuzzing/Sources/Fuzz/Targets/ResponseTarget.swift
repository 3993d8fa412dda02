@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// The response in the shape of `verifyReceipt` to any attributes: readable JSON that invents nothing.
final class ResponseTarget: FuzzTarget {
    static let name = "response"
    static let summary = "responses in the shape of verifyReceipt, and the bodies of requests"
    static let maximumLength = 4096

    /// Members that no receipt holds.
    private static let unknowable: Set<String> = [
        "subscription_group_identifier", "in_app_ownership_type", "app_account_token", "is_upgraded",
        "offer_code_ref_name", "auto_renew_status", "auto_renew_product_id", "expiration_intent",
    ]

    init() throws {}

    var seeds: [(name: String, bytes: [UInt8])] {
        let body = #"{"receipt-data":"MIIB","password":"x","exclude-old-transactions":true}"#
        return VectorSeeds.contents(in: "attributes") + [("body", [UInt8](body.utf8))]
    }

    func run(_ input: [UInt8]) throws {
        if let request = VerifyReceiptRequest(body: input) {
            requireEqual(
                VerifyReceiptRequest(body: input + [0x20]), request, "a request with white space at the end")
        }
        guard let content = try? AppReceiptContent(reading: input),
            let payload = content.payload
        else { return }
        let receipt = AppReceipt(members: payload)
        let now = must(Timestamp(milliseconds: SamplePayload.now), "the clock")
        let all = VerifyReceiptResponse(receipt, latestReceipt: "AAAA", requestDate: now)
        let latest = VerifyReceiptResponse(
            receipt, latestReceipt: "AAAA", excludesOldTransactions: true, requestDate: now)
        for response in [all, latest] {
            requireEqual(response.status, .valid, "the status of a verified receipt")
            let text = [UInt8](response.description.utf8)
            requireEqual(
                try JSONDocument.value(of: text), .object(response.members), "a response, written and read back")
            requireHarmless(response.description, "a response contains a control character")
            check(.object(response.members))
            for path in response.absentMembers {
                require(!Self.isEverywhere(path, in: response.members), "\(path) is there, and listed as absent")
            }
        }
        let purchases = all.members["receipt"]?.object?["in_app"]?.elements ?? []
        requireEqual(purchases.count, receipt.inApp?.count ?? 0, "the number of purchases")
        guard let sorted = all.members["latest_receipt_info"]?.elements else {
            return requireEqual(receipt.subscriptions.count, 0, "subscriptions without latest_receipt_info")
        }
        requireEqual(sorted.count, purchases.count, "the purchases of latest_receipt_info")
        require(sorted.allSatisfy(purchases.contains), "a purchase of latest_receipt_info is not in the receipt")
        let kept = latest.members["latest_receipt_info"]?.elements ?? []
        require(kept.allSatisfy(sorted.contains), "a purchase that only the shorter list has")
        requireEqual(
            all.members["pending_renewal_info"]?.elements?.count, receipt.subscriptions.count, "the subscriptions")
    }

    /// Checks the members of all objects: none is invented, and dates have their milliseconds.
    private func check(_ value: JSONValue) {
        for element in value.elements ?? [] { check(element) }
        guard let object = value.object else { return }
        for member in object.members {
            require(!Self.unknowable.contains(member.name), "a response with \(member.name)")
            check(member.value)
            guard member.name.hasSuffix("_ms") else { continue }
            let name = String(member.name.dropLast(3))
            let milliseconds = must(member.value.text.flatMap { Int64($0) }, "\(member.name) that is no number")
            let text = must(object[name]?.text, "\(member.name) without \(name)")
            let date = must(
                Timestamp(rfc3339: text.replacing(" Etc/GMT", with: "Z").replacing(" ", with: "T")),
                "\(name) that is no date: \(text)")
            requireEqual(date.secondsSince1970, Timestamp(clamping: milliseconds).secondsSince1970, name)
        }
    }

    /// Returns whether each object at a path such as `receipt.in_app[].quantity` has its last member.
    private static func isEverywhere(_ path: String, in object: JSONObject) -> Bool {
        let names = path.split(separator: ".").map(String.init)
        var objects = [object]
        for name in names.dropLast() {
            let values = objects.compactMap { $0[name.replacing("[]", with: "")] }
            objects = values.flatMap { $0.elements?.compactMap(\.object) ?? [$0.object].compactMap(\.self) }
        }
        return !objects.isEmpty && objects.allSatisfy { $0[names.last ?? ""] != nil }
    }
}
