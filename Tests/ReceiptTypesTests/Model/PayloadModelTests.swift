import ReceiptTypes
import Testing

/// Tests typed access to payloads, and that reading and writing lose nothing.
@Suite("Payload models")
struct PayloadModelTests {
    @Test("a field is read with its type")
    func reading() {
        let transaction = JWSTransactionDecodedPayload(members: [
            "transactionId": .string("2000000000000001"),
            "purchaseDate": .integer(1_759_302_518_835),
            "expiresDate": .decimal(1_759_302_518_835.75),
            "quantity": .integer(2),
            "type": .string("Consumable"),
            "offerType": .integer(4),
            "isUpgraded": .boolean(true),
            "price": .integer(39_990),
            "appAccountToken": .string("7E3FB204-2A51-4B54-8E51-3B0E5A0B1C2D"),
            "commitmentInfo": .object(["billingPeriodNumber": .integer(3)]),
        ])
        #expect(transaction.transactionId == "2000000000000001")
        #expect(transaction.purchaseDate?.millisecondsSince1970 == 1_759_302_518_835)
        #expect(transaction.expiresDate?.millisecondsSince1970 == 1_759_302_518_835)
        #expect(transaction.quantity == 2)
        #expect(transaction.type == .consumable)
        #expect(transaction.offerType == .winBack)
        #expect(transaction.isUpgraded == true)
        #expect(transaction.price == Milliunits(39_990))
        #expect(transaction.appAccountToken?.isUUID == true)
        #expect(transaction.commitmentInfo?.billingPeriodNumber == 3)
        #expect(transaction.bundleId == nil)
    }

    @Test("a field that is null or of another type reads as nil")
    func absent() {
        let transaction = JWSTransactionDecodedPayload(members: [
            "bundleId": .null, "quantity": .integer(3_000_000_000), "price": .decimal(1.0),
            "signedDate": .integer(.max),
            "isUpgraded": .integer(1), "transactionId": .integer(1),
        ])
        #expect(transaction.bundleId == nil)
        #expect(transaction.quantity == nil)
        #expect(transaction.price == nil)
        #expect(transaction.signedDate == nil)
        #expect(transaction.isUpgraded == nil)
        #expect(transaction.transactionId == nil)
    }

    @Test("a written field is read back, and setting nil removes it")
    func writing() {
        var renewal = JWSRenewalInfoDecodedPayload()
        renewal.autoRenewStatus = .on
        renewal.renewalPrice = Milliunits(4990)
        renewal.eligibleWinBackOfferIds = ["a", "b"]
        renewal.renewalDate = Timestamp(milliseconds: 5)
        var commitment = RenewalCommitmentInfo()
        commitment.commitmentRenewalPrice = Milliunits(1)
        renewal.commitmentInfo = commitment
        let expected: JSONObject = [
            "autoRenewStatus": .integer(1), "renewalPrice": .integer(4990),
            "eligibleWinBackOfferIds": .array([.string("a"), .string("b")]), "renewalDate": .integer(5),
            "commitmentInfo": .object(["commitmentRenewalPrice": .integer(1)]),
        ]
        #expect(renewal.members == expected)
        #expect(JWSRenewalInfoDecodedPayload(json: renewal.json) == renewal)
        renewal.renewalPrice = nil
        #expect(renewal.members["renewalPrice"] == nil)
        #expect(renewal.members.members.count == 4)
    }

    @Test("every member, known or unknown, survives reading and writing", arguments: ModelSpecification.all)
    func roundTrip(model: ModelSpecification) {
        func check<Model: PayloadModel>(_ type: Model.Type) {
            var object: JSONObject = ["notDocumentedYet": .array([.null, .decimal(0.5)])]
            for field in model.fields { object[field.name] = ModelSpecification.example(of: field.type) }
            let payload = Model(json: .object(object))
            #expect(payload?.json == .object(object))
            #expect(payload?.members.members.map(\.name) == object.members.map(\.name))
            #expect(payload?.unknownMembers.map(\.name) == ["notDocumentedYet"])
        }
        check(model.type)
    }

    @Test("a payload is created from a JSON object only", arguments: ModelSpecification.all)
    func objectsOnly(model: ModelSpecification) {
        for value: JSONValue in [.null, .array([]), .string("{}"), .integer(1), .boolean(true)] {
            #expect(model.type.init(json: value) == nil)
        }
    }

    @Test("an unknown value of an enumeration is kept unchanged")
    func unknownValues() {
        let notification = ResponseBodyV2DecodedPayload(members: [
            "notificationType": .string("SOMETHING_NEW"), "data": .object(["status": .integer(77)]),
        ])
        #expect(notification.notificationType?.rawValue == "SOMETHING_NEW")
        #expect(notification.notificationType?.isKnown == false)
        #expect(notification.data?.status?.rawValue == 77)
        #expect(notification.data?.status?.isKnown == false)
        var copy = ResponseBodyV2DecodedPayload()
        copy.notificationType = notification.notificationType
        copy.data = notification.data
        #expect(copy == notification)
    }

    @Test("a transaction is revoked if it has a revocation date")
    func revocation() {
        #expect(!JWSTransactionDecodedPayload().isRevoked)
        #expect(!JWSTransactionDecodedPayload(members: ["revocationDate": .null]).isRevoked)
        #expect(JWSTransactionDecodedPayload(members: ["revocationDate": .integer(0)]).isRevoked)
    }
}
