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
            return try workspaces.withWorkspace { workspace in
                defer { workspace.endVerification(with: keyCache) }
                return ReceiptReport(check(input, isTracing: isTracing, &workspace))
            }
        } catch {
            var receipt = CheckedReceipt(isTracing: isTracing)
            receipt.examination.adopt(VerificationFailure(code: .internalError, actual: error.description))
            return ReceiptReport(receipt)
        }
    }

    private func check(
        _ input: ReceiptInput,
        isTracing: Bool,
        _ workspace: inout Workspace
    ) -> CheckedReceipt {
        guard case .jws(let text) = input else { return checkOther(input, isTracing: isTracing) }
        return text.withRawSpan { check($0, isTracing: isTracing, &workspace) }
    }

    /// Looks at anything but a JWS.
    func checkOther(_ input: ReceiptInput, isTracing: Bool = false) -> CheckedReceipt {
        var receipt = CheckedReceipt(isTracing: isTracing)
        switch input {
        case .play(let data, let signature):
            return data.withRawSpan { data in
                signature.withRawSpan { check(playData: data, signature: $0, isTracing: isTracing) }
            }
        case .legacyReceipt:
            receipt.examination.refuse(
                .legacyReceiptUnsupported, "format", expected: "a JWS or a Google Play purchase",
                actual: "an app receipt in PKCS#7 form"
            )
        case .jws(let text), .unrecognized(let text):
            receipt.examination.refuse(
                .formatUnrecognized, "format", expected: "a JWS or a Google Play purchase",
                actual: text.isEmpty ? "nothing" : "\(text.count) bytes of something else"
            )
        }
        return receipt
    }
}
