import ReceiptTypes
import Testing

/// What the schemas say about each model, against the field lists of the rules.
@Suite("Schemas of the payload models")
struct SchemaTests {
    @Test("a model has every field of the rules, in their order and of their type", arguments: ModelSpecification.all)
    func fieldsAreComplete(model: ModelSpecification) {
        #expect(model.type.schema.fields.map(\.name) == model.fields.map(\.name))
        #expect(
            model.type.schema.fields.map { ModelSpecification.notation(of: $0.shape) } == model.fields.map(\.type)
        )
    }

    @Test("a field bears the name of its property and appears once", arguments: ModelSpecification.all)
    func labelsEqualNames(model: ModelSpecification) {
        func labels(_ type: (some PayloadModel).Type) -> [String] {
            Mirror(reflecting: type.fields).children.compactMap(\.label)
        }
        let names = model.type.schema.fields.map(\.name)
        // The JSON name SKU is no name for a Swift property.
        #expect(labels(model.type) == names.map { $0 == "SKU" ? "sku" : $0 })
        #expect(Set(names).count == names.count)
    }

    @Test("a field is found by its name, and by nothing else", arguments: ModelSpecification.all)
    func lookUp(model: ModelSpecification) {
        for field in model.fields {
            #expect(model.type.schema[field.name]?.name == field.name)
            #expect(model.type.schema[field.name.uppercased() + "?"] == nil)
        }
        #expect(model.type.schema[""] == nil)
    }

    @Test("each kind of receipt has the schema of its payload")
    func kinds() {
        #expect(ReceiptKind.transaction.schema === JWSTransactionDecodedPayload.schema)
        #expect(ReceiptKind.renewalInfo.schema === JWSRenewalInfoDecodedPayload.schema)
        #expect(ReceiptKind.notification.schema === ResponseBodyV2DecodedPayload.schema)
        #expect(ReceiptKind.appTransaction.schema === JWSAppTransactionDecodedPayload.schema)
        #expect(ReceiptKind.realtimeRequest.schema === DecodedRealtimeRequestBody.schema)
        #expect(ReceiptKind.playPurchase.schema === PlayPurchase.schema)
    }

    @Test("the signing time of a kind is a date in its schema")
    func signingTimes() {
        for kind in ReceiptKind.allCases {
            guard let name = kind.signingTimeField else {
                #expect(kind == .playPurchase)
                continue
            }
            #expect(name == (kind == .appTransaction ? "receiptCreationDate" : "signedDate"))
            #expect(kind.schema[name].map { ModelSpecification.notation(of: $0.shape) } == "date")
        }
    }
}
