import ReceiptTypes
import Testing

/// Compares the schema of each model with the field list in `ModelSpecification`.
@Suite("Schemas")
struct SchemaTests {
    @Test("a model has exactly the specified fields, in order and with their types", arguments: ModelSpecification.all)
    func fieldsAreComplete(model: ModelSpecification) {
        #expect(model.type.schema.fields.map(\.name) == model.fields.map(\.name))
        #expect(
            model.type.schema.fields.map { ModelSpecification.notation(of: $0.shape) } == model.fields.map(\.type)
        )
    }

    @Test("a field has the name of its property and appears once", arguments: ModelSpecification.all)
    func labelsEqualNames(model: ModelSpecification) {
        func labels(_ type: (some PayloadModel).Type) -> [String] {
            Mirror(reflecting: type.fields).children.compactMap(\.label)
        }
        let names = model.type.schema.fields.map(\.name)
        // The property of the JSON name SKU is sku.
        #expect(labels(model.type) == names.map { $0 == "SKU" ? "sku" : $0 })
        #expect(Set(names).count == names.count)
    }

    @Test("a field is found by its exact name only", arguments: ModelSpecification.all)
    func lookUp(model: ModelSpecification) {
        for field in model.fields {
            #expect(model.type.schema[field.name]?.name == field.name)
            #expect(model.type.schema[field.name.uppercased() + "?"] == nil)
        }
        #expect(model.type.schema[""] == nil)
    }

    @Test("each receipt kind has the schema of its payload")
    func kinds() {
        #expect(ReceiptKind.transaction.schema === JWSTransactionDecodedPayload.schema)
        #expect(ReceiptKind.renewalInfo.schema === JWSRenewalInfoDecodedPayload.schema)
        #expect(ReceiptKind.notification.schema === ResponseBodyV2DecodedPayload.schema)
        #expect(ReceiptKind.appTransaction.schema === JWSAppTransactionDecodedPayload.schema)
        #expect(ReceiptKind.realtimeRequest.schema === DecodedRealtimeRequestBody.schema)
        #expect(ReceiptKind.playPurchase.schema === PlayPurchase.schema)
        #expect(ReceiptKind.appReceipt.schema === AppReceipt.schema)
    }

    @Test("the signing time field of a kind is a date in its schema")
    func signingTimes() {
        for kind in ReceiptKind.allCases {
            guard let name = kind.signingTimeField else {
                #expect(kind == .playPurchase)
                continue
            }
            #expect(name == ([.appTransaction, .appReceipt].contains(kind) ? "receiptCreationDate" : "signedDate"))
            #expect(kind.schema[name].map { ModelSpecification.notation(of: $0.shape) } == "date")
        }
    }
}
