internal import PurchaseCore
internal import ReceiptTypes

/// The rules of rows: what is put is found again, byte by byte, and nothing else.
enum RowChecks {
    static let all = [
        Check("digests", "texts have the same digest only if they have the same bytes", digests),
        Check(
            "delivery-whole", "a delivery and its content are returned as they were inserted", deliveryNames,
            (0..<3).map { round in deliveries(round).map { .put($0) } }),
        Check(
            "delivery-order", "deliveries are in the order of insertion, which a replacement keeps",
            Snapshot.Names(texts: numbered.map(\.text), facts: ["facts"], versions: ["1"], purchases: [key]),
            [numbered.map { .put($0) }] + [3, 0, 4].map { [.put(recorded(numbered[$0]))] }
                + [[.delete(numbered[1].text), .put(numbered[1])]]),
        Check(
            "delivery-replace", "a replacement changes every field, also by one byte, and what finds it",
            Snapshot.Names(
                texts: ["other", "text", "missing"], facts: UnusualText.all + ["facts"], versions: UnusualText.all,
                purchases: UnusualText.all.map { .playPurchase(token: $0) }),
            [[.put(SampleDelivery("other", .verified, .init())), .put(SampleDelivery("text"))]]
                + replacements.map { [.replace("text", by: $0)] }
                + [[.replace("missing", by: SampleDelivery("missing"))]]),
        Check(
            "delivery-delete", "a deleted delivery is not found, and its text can be inserted again",
            Snapshot.Names(texts: ["deleted", "kept"], facts: ["facts"], versions: ["1"], purchases: [key]),
            [["deleted", "kept"].map { .put(SampleDelivery($0, .verified, .init())) }]
                + ["deleted", "deleted", "missing"].map { [.delete($0)] }
                + [[.put(SampleDelivery("deleted", .finished, .init()))]]),
        Check(
            "found-exactly", "versions and purchases that differ in one byte have deliveries of their own",
            Snapshot.Names(
                texts: keys.indices.map { "\($0)" } + ["not verified"], facts: ["facts"], versions: UnusualText.all,
                purchases: keys),
            [
                keys.enumerated().map { number, key in
                    let id = UnusualText.all[number / 4]
                    return .put(SampleDelivery("\(number)", .recorded, .init(versionID: id, purchase: key)))
                } + [.put(SampleDelivery("not verified"))]
            ]),
        Check(
            "content-unused", "a content that no row has is deleted at the end of the transaction", contentNames,
            [
                ["first", "second", "third"].map { .put(SampleDelivery($0)) } + [.renewal("1", at(0), "first")],
                [.delete("first")], [.delete("second")], [.renewal("1", at(1), "third")], [.delete("third")],
                [.renewal("1", at(2), "fourth")],
            ]),
        Check(
            "content-moved", "a content stays that another row has at the end of the transaction", contentNames,
            [
                ["first", "second", "third"].map { .put(SampleDelivery($0, .verified, .init())) },
                [.merge("third", into: "first")],
                [.delete("second"), .put(SampleDelivery("second", .verified, .init()))],
            ]),
        Check(
            "purchase", "the last state of a purchase is returned with every field, for exactly its id and its user",
            purchaseNames,
            [(0..<3).map { .put(SampleDelivery("\($0)")) }]
                + (0..<4).map { round in
                    purchaseIDs.enumerated().map { .purchase(.unusual(round + $0, $1, "\(($0 + round) % 3)")) }
                }),
        Check(
            "purchase-content", "a content stays as long as a purchase has it", purchaseNames,
            [
                ["0", "1"].map { .put(SampleDelivery($0)) } + [.purchase(SamplePurchase(SamplePurchase.id("1"), "0"))],
                [.delete("0")], [.purchase(SamplePurchase(SamplePurchase.id("1"), "1"))], [.delete("1")],
            ]),
        Check(
            "purchase-events", "the events of a purchase follow each other with its state, and only for its user",
            purchaseNames,
            [[.put(SampleDelivery("0"))]]
                + (0..<6).map { round in
                    [.purchase(.unusual(round + 1, SamplePurchase.id("\(round % 3)"), "0"))]
                }),
        Check(
            "hand-over", "the last hand-over of a purchase is returned, for exactly its key",
            Snapshot.Names(purchases: keys), (0..<4).map(handOvers)),
        Check(
            "claim", "the last claim of a purchase is returned as it was put, until it is deleted",
            Snapshot.Names(purchases: keys), claims.indices.flatMap { [putClaims($0), deleteClaims($0)] }),
        Check("claim-number", "a claim keeps its number, which no other claim has had", claimNumber),
        Check(
            "renewal", "the last renewal info of a subscription is returned with its JWS",
            Snapshot.Names(
                texts: UnusualText.all.flatMap { ["0 \($0)", "1 \($0)"] }, subscriptions: UnusualText.all),
            (0..<2).map { round in
                UnusualText.all.map { .renewal($0, round == 0 ? .maximum : .minimum, "\(round) \($0)") }
            }),
        Check(
            "memory", "the memory is returned as it was put, with every field and in the same order",
            Snapshot.Names(), SampleMemory.all.map { [.memory($0)] }),
    ]

    private static let purchaseIDs = UnusualText.all.flatMap { text in (0..<4).map { SamplePurchase.id(text, $0) } }
    private static let purchaseNames = Snapshot.Names(
        texts: ["0", "1", "2"], purchaseIDs: purchaseIDs + (0..<3).map { SamplePurchase.id("\($0)") })

    private static let key = PurchaseKey.transaction(id: "1")
    private static let contentNames = Snapshot.Names(
        texts: ["first", "second", "third", "fourth"], facts: ["facts"], versions: ["1"], purchases: [key],
        subscriptions: ["1"])

    /// Keys that differ in one byte, or only in their kind; four for each text.
    private static let keys = UnusualText.all.flatMap { text -> [PurchaseKey] in
        [
            .transaction(id: "id \(text)"), .playPurchase(token: "id \(text)"),
            .billingEvent(originalID: "id \(text)", webOrderLineItemID: "1"),
            .billingEvent(originalID: "1", webOrderLineItemID: "id \(text)"),
        ]
    }

    // MARK: Deliveries

    private static func digests(_ trial: Trial) async throws {
        let texts = UnusualText.all + [UnusualText.long, UnusualText.long + "\u{0}"]
        let digests = try await trial.read("the digests of texts") { rows in try texts.map { try rows.digest(of: $0) } }
        try expect(Set(digests).count, texts.count, "the number of digests of texts that differ in a byte")
        let again = try await trial.change("the digests of texts") { rows in try texts.map { try rows.digest(of: $0) } }
        try expect(again, digests, "the digests of the same texts in another transaction")
    }

    /// Deliveries with unusual texts; in three rounds, each text has each kind of content.
    private static func deliveries(_ round: Int) -> [SampleDelivery] {
        (UnusualText.all + [UnusualText.long]).enumerated().map { unusual($0 + round, $1) }
    }

    private static let deliveryNames = Snapshot.Names(
        texts: (0..<3).flatMap { deliveries($0).map(\.text) }, facts: UnusualText.all + [UnusualText.long],
        versions: UnusualText.all, purchases: UnusualText.all.map { .playPurchase(token: $0) })

    /// A delivery with a text in each field, and the others by number.
    private static func unusual(_ number: Int, _ text: String) -> SampleDelivery {
        let contents: [SignedContent] = [
            .jws(text), .play(SignedPlayPurchase(data: text, signature: text)),
            .appReceipt(SignedAppReceipt(base64: "receipt \(text)")),
        ]
        var delivery = SampleDelivery(contents[number % 3], DeliveryStage.allCases[number % 5])
        delivery.transactionID = text
        delivery.productID = text
        delivery.objection = number.isMultiple(of: 4) ? nil : text
        delivery.source = DeliverySource.allCases[number % DeliverySource.allCases.count]
        delivery.observedAt = number.isMultiple(of: 2) ? .maximum : .minimum
        delivery.quarantineReason = number.isMultiple(of: 5) ? nil : VerificationFailure.Code(rawValue: text)
        delivery.account = number.isMultiple(of: 3) ? nil : UUIDText(text)
        if delivery.stage > .observed {
            delivery.verified = .init(versionID: text, purchase: .playPurchase(token: text), facts: text)
        }
        return delivery
    }

    /// Deliveries with a clock that moves back.
    private static let numbered: [SampleDelivery] = ([5, 9, -3, 5, 0] as [Int64]).enumerated().map { number, minute in
        var delivery = SampleDelivery("\(9 - number)", .verified, .init())
        delivery.observedAt = at(minute)
        return delivery
    }

    private static func recorded(_ delivery: SampleDelivery) -> SampleDelivery {
        var recorded = delivery
        recorded.stage = .recorded
        return recorded
    }

    /// Rows for one text: with other values in each field, and with texts that differ in one byte and in nothing else.
    private static let replacements: [SampleDelivery] =
        UnusualText.all.enumerated().map { number, text in
            var delivery = unusual(number, text)
            delivery.content = .jws("text")
            // These do not change.
            delivery.source = .update
            delivery.observedAt = at(0)
            return delivery
        }
        + UnusualText.pairs.flatMap { [$0.0, $0.1, $0.0] }.map { text in
            var delivery = SampleDelivery("text", .verified, .init())
            delivery.objection = text
            delivery.productID = text
            return delivery
        }

    // MARK: Hand-overs

    private static func handOvers(_ round: Int) -> [Operation] {
        keys.enumerated().compactMap { number, key in
            let text = UnusualText.all[number / 4]
            switch (round + number) % 3 {
            case 0: return .handOver(.granted(productID: text, quantity: number), of: key)
            case 1: return .handOver(.revoked, of: key)
            default: return round == 0 ? nil : .handOver(.granted(productID: "\(text)\u{301}", quantity: .max), of: key)
            }
        }
    }

    private static let claims: [(start: Timestamp, end: Timestamp, follows: Bool)] = [
        (at(0), at(1), false), (at(2), at(2), true), (.minimum, .minimum, false), (.maximum, .minimum, true),
        (.maximum, .maximum, false),
    ]

    private static func putClaims(_ round: Int) -> [Operation] {
        keys.enumerated().map { number, key in
            let claim = claims[(round + number) % claims.count]
            return .claim(key, claim.start, claim.end, follows: claim.follows)
        }
    }

    /// Deletes some claims, which are not there the second time.
    private static func deleteClaims(_ round: Int) -> [Operation] {
        let some = keys.indices.filter { $0 % claims.count == round }
        return (some + some).map { .deleteClaim(keys[$0]) }
    }

    private static func claimNumber(_ trial: Trial) async throws {
        var numbers: Set<Int> = []
        for round in 0..<20 {
            let key = PurchaseKey.transaction(id: "\(round % 3)")
            let number = try await trial.newClaim(of: key, otherThan: numbers)
            numbers.insert(number)
            try await trial.read("reading a claim") { rows in
                try expect(try rows.claim(of: key)?.number, number, "the number of a claim")
            }
            // Also the one with the highest number.
            if round.isMultiple(of: 2) { try await trial.change("deleting a claim") { try $0.deleteClaim(of: key) } }
        }
    }
}

extension Trial {
    /// Puts a claim, and checks its number.
    func newClaim(of key: PurchaseKey, otherThan numbers: Set<Int>) async throws -> Int {
        let number = try await change("a claim") { rows in
            let number = try rows.nextClaimNumber()
            try rows.put(FulfilmentClaim(key: key, number: number, start: at(0), end: at(0)))
            return number
        }
        guard !numbers.contains(number) else {
            throw Mismatch("the number of a new claim", expected: "one that no claim has had", found: "\(number)")
        }
        return number
    }
}
