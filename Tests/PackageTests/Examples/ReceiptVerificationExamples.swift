import ReceiptTypes
import ReceiptVerification

// The examples in the documentation of ReceiptVerification, so that they compile. ExampleTests compares the lines.

private func verifyTransaction(
    _ jws: String, unlock: (String?) -> Void, log: (VerificationFailure.Code, String) -> Void
) {
    let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.production])
    let verifier = ReceiptVerifier(policy: policy)
    switch verifier.verifyTransaction(jws) {
    case .verified(let transaction): unlock(transaction.productId)
    case .unverified(let failure): log(failure.code, failure.explanation)
    }
}

private func verifyNotification(
    _ signedPayload: String, record: (String?, JWSTransactionDecodedPayload) -> Void,
    log: (VerificationFailure.Code, String) -> Void
) {
    let policy = VerificationPolicy(
        apps: [.init(bundleID: "com.example.app", appAppleID: 6_400_000_001)], environments: [.production])
    let verifier = ReceiptVerifier(policy: policy)
    switch verifier.verifyNotification(signedPayload) {
    case .verified(let notification):
        guard case .verified(let transaction)? = notification.transaction else { return }
        record(notification.payload.notificationUUID, transaction)
    case .unverified(let failure):
        log(failure.code, failure.explanation)
    }
}

private func makePolicy() -> VerificationPolicy {
    let policy = VerificationPolicy(
        apps: [.init(bundleID: "com.example.app", appAppleID: 1_234_567_890)],
        environments: [.production]
    )
    return policy
}

private func makePolicyOfTwoApps() -> VerificationPolicy {
    let policy = VerificationPolicy(apps: [
        .init(bundleID: "com.example.app", environments: [.production], isStrict: true),
        .init(bundleID: "com.example.app.beta", environments: [.sandbox]),
    ])
    return policy
}

private func makeVerifier(
    policyFile text: [UInt8], contents: @escaping (String) throws -> [UInt8]
) throws -> ReceiptVerifier {
    let configuration = try VerificationConfiguration(json: text) { name in try contents("policies/\(name)") }
    let verifier = ReceiptVerifier(configuration: configuration)
    return verifier
}

private func makeAnchors(_ testRoot: [UInt8]) throws -> TrustAnchors {
    var anchors = TrustAnchors.apple
    try anchors.add(testRoot, environments: [.sandbox, .xcode])  // DER, or PEM with one or more certificates
    return anchors
}

private func verifySignature(_ signature: [UInt8], _ message: [UInt8], _ pem: String) throws -> Bool {
    let key = try ES256PublicKey(pemRepresentation: pem)
    let isValid = key.isValidSignature(signature, for: message)
    return isValid
}

private func respond(
    to receipt: [UInt8], by verifier: ReceiptVerifier, log: (VerifyReceiptStatus, VerificationFailure?) -> Void,
    send: (String) -> Void
) {
    let response = verifier.response(to: VerifyReceiptRequest(receiptData: receipt))
    if response.status != .valid { log(response.status, response.failure) }
    send(response.description)
}

private func unlockSubscriptions(of receipt: AppReceipt, at now: Timestamp) {
    func unlock(_ product: String?, until: Timestamp?) {}
    for subscription in receipt.subscriptions where subscription.state(at: now) == .active {
        unlock(subscription.latestPurchase.productId, until: subscription.latestPurchase.expiresDate)
    }
}

private func readRenewalInfo(
    _ jws: String, by verifier: ReceiptVerifier, log: (String) -> Void
) -> JWSRenewalInfoDecodedPayload? {
    let report = verifier.verify(jws, as: .renewalInfo)
    if report.missingClaims.contains("bundleId") { log("the app of a renewal info was not checked") }
    let renewalInfo = report.payload.map { JWSRenewalInfoDecodedPayload(members: $0) }
    return renewalInfo
}

private func countVerdicts(of receipts: [[UInt8]], by verifier: ReceiptVerifier) -> [Verdict: Int] {
    var count: [Verdict: Int] = [:]
    verifier.verify(receipts.lazy.map { .jws($0) }) { report in count[report.verdict, default: 0] += 1 }
    return count
}

private struct File {
    func write(_ bytes: [UInt8]) throws {}
}

private func verifyBatch(_ source: BatchSource, by verifier: ReceiptVerifier, to file: File) throws -> BatchSummary {
    let batch = BatchVerifier(verifier: verifier, jobs: 8)
    let summary = try batch.run([source]) { lines, _ in try file.write(lines) }
    return summary
}

private func keepingColumns(_ verifier: ReceiptVerifier) -> BatchVerifier {
    let batch = BatchVerifier(verifier: verifier, keeping: KeptInput(names: ["orderId"]))
    return batch
}

private func choosingFields(_ verifier: ReceiptVerifier) throws -> BatchVerifier {
    let fields = try ResultFields(["verdict", "productId", "quantity", "transaction.expiresDate", "data.status"])
    let batch = BatchVerifier(verifier: verifier, contents: ResultContents(fields: fields, verdicts: [.verified]))
    return batch
}

private func counting(_ source: BatchSource, _ batch: BatchVerifier) throws -> Int {
    let (counts, summary) = try batch.count([source], by: try ResultFields(["productId", "currency"]))
    for group in counts.groups { print(group.count, group.values) }
    let (sums, _) = try batch.sum([source], by: try ResultFields(["month"]), temporaryFolder: "/var/tmp")
    for group in sums.groups { print(group.values, group.sum.purchases, group.sum.kept as Any) }
    return summary.total
}

private func limitingPeriod(
    _ verifier: ReceiptVerifier, october: Timestamp, november: Timestamp
) throws -> BatchVerifier {
    let period = try ResultPeriod(from: october, until: november, by: ["purchaseDate"])
    let batch = BatchVerifier(verifier: verifier, contents: ResultContents(period: period))
    return batch
}

private func findingDuplicates(_ source: BatchSource, _ batch: BatchVerifier) throws -> BatchSummary {
    let summary = try batch.findDuplicates(in: [source], temporaryFolder: "/var/tmp") { duplicate in
        print(duplicate.transactionID ?? "", duplicate.count, duplicate.verifiedCount, duplicate.isSameReceipt)
    }
    return summary
}

private func overviewing(_ source: BatchSource, _ batch: BatchVerifier) throws {
    let groupings = [try ResultFields(["day", "verdict"]), try ResultFields(["productId"])]
    let overview = try batch.overview(of: [source], by: groupings, temporaryFolder: "/var/tmp")
    for counts in overview.counts { print(counts.names, counts.groups.count, counts.others) }
    print(overview.duplicates.purchases, overview.refusals.map(\.failure.code))
    for row in overview.sales.currencies.rows { print(row.values, row.sum.kept as Any) }
}

private func redacting(_ verifier: ReceiptVerifier, key: [UInt8], use: (BatchVerifier) -> Void) {
    guard let redaction = Redaction(key: key) else { return }
    let batch = BatchVerifier(verifier: verifier, contents: ResultContents(redaction: redaction))
    use(batch)
}

private func verifyBatchInParts(
    _ source: BatchSource, by verifier: ReceiptVerifier, to file: File
) throws -> BatchSummary {
    var end = BatchPosition()
    let batch = BatchVerifier(verifier: verifier, jobs: 8)
    let summary = try batch.run([source]) { lines, progress in
        try file.write(lines)
        end = progress.position
    }
    _ = end
    return summary
}

private func useKeyCacheFile(log: (String) -> Void) throws {
    func verifyReceipts(with verifier: ReceiptVerifier) {}
    let file = VerificationKeyFile("/var/lib/shop/keys.cache")
    let sealingKey = try SealingKey.loadOrCreate(inStateFolder: "/var/lib/shop/state")
    let cache = VerificationKeyCache()
    if let warning = cache.load(from: file, sealingKey: sealingKey) { log(warning.message) }
    let verifier = ReceiptVerifier(keyCache: cache)
    verifyReceipts(with: verifier)
    try cache.save(to: file, sealingKey: sealingKey)
}
