internal import ReceiptTypes

extension ReceiptVerifier {
    /// Verifies a receipt of any kind.
    public func verify(_ input: ReceiptInput) -> ReceiptReport {
        report(on: input, isTracing: false)
    }

    /// Verifies a receipt of any kind and records every check; the certificate chain is judged anew, whatever the key
    /// cache holds.
    public func explain(_ input: ReceiptInput) -> ReceiptReport {
        report(on: input, isTracing: true)
    }

    private func report(on input: ReceiptInput, isTracing: Bool) -> ReceiptReport {
        do throws(CryptoFault) {
            var workspace = try Workspace()
            return ReceiptReport(check(input, isTracing: isTracing, &workspace))
        } catch {
            var receipt = CheckedReceipt(isTracing: isTracing)
            receipt.examination.adopt(VerificationFailure(code: .internalError, actual: error.description))
            return ReceiptReport(receipt)
        }
    }

    func check(_ input: ReceiptInput, isTracing: Bool = false, _ workspace: inout Workspace) -> CheckedReceipt {
        switch input {
        case .jws(let text):
            return text.withRawSpan { check($0, isTracing: isTracing, &workspace) }
        case .play(let data, let signature):
            return data.withRawSpan { data in
                signature.withRawSpan { check(playData: data, signature: $0, isTracing: isTracing) }
            }
        case .legacyReceipt:
            var receipt = CheckedReceipt(isTracing: isTracing)
            receipt.examination.refuse(
                .legacyReceiptUnsupported, "format", expected: "a JWS or a Google Play purchase",
                actual: "an app receipt in PKCS#7 form"
            )
            return receipt
        case .unrecognized(let text):
            var receipt = CheckedReceipt(isTracing: isTracing)
            receipt.examination.refuse(
                .formatUnrecognized, "format", expected: "a JWS or a Google Play purchase",
                actual: text.isEmpty ? "nothing" : "\(text.count) bytes of something else"
            )
            return receipt
        }
    }
}
