internal import ReceiptTypes
internal import ReceiptVerification

/// Vectors of single ES256 signatures, in the format of Wycheproof.
enum ES256Vectors {
    static func evaluator(for group: JSONObject) -> ((JSONObject) -> VectorRunner.Outcome)? {
        guard let form = group["publicKey"]?.object else { return nil }
        let key = publicKey(form)
        return { test in
            let expected = (test["valid"] ?? test["keyValid"]) == .boolean(true)
            guard let message = test["message"]?.text.flatMap(Base64.standard.decode),
                let signature = test["signature"]?.text.flatMap(Base64.standard.decode)
            else { return .init(expected: "valid \(expected)", actual: "a test that cannot be set up") }
            let isKeyExpected = group["keyValid"] != .boolean(false)
            guard isKeyExpected == (key != nil) else {
                return .init(expected: "key valid \(isKeyExpected)", actual: "key valid \(key != nil)")
            }
            let isValid = key?.isValidSignature(signature, for: message) ?? false
            return .init(expected: "valid \(expected)", actual: "valid \(isValid)")
        }
    }

    private static func publicKey(_ form: JSONObject) -> ES256PublicKey? {
        let value = form["value"]?.text ?? ""
        let bytes = Base64.standard.decode(value) ?? []
        return switch form["form"]?.text {
        case "spki-der": try? ES256PublicKey(derRepresentation: bytes)
        case "spki-pem": try? ES256PublicKey(pemRepresentation: value)
        case "x963": try? ES256PublicKey(x963Representation: bytes)
        case "certificate-der": try? ES256PublicKey(certificateDER: bytes)
        default: nil
        }
    }
}

/// Vectors of canonical base64url.
enum EncodingVectors {
    static func outcome(of test: JSONObject) -> VectorRunner.Outcome {
        let expected = test["bytes"]?.text.flatMap(Base64.standard.decode)
        let actual = test["text"]?.text.flatMap(Base64.url.decode)
        return .init(
            expected: expected.map(\.description) ?? "rejected", actual: actual.map(\.description) ?? "rejected"
        )
    }
}

/// Vectors of receipt detection: an input and the receipts in it.
enum InputVectors {
    static func outcome(of test: JSONObject) -> VectorRunner.Outcome {
        let expected = (test["items"]?.elements ?? []).compactMap(\.object).map(describe)
        let actual = ReceiptInput.detect([UInt8]((test["text"]?.text ?? "").utf8)).compactMap(describe)
        return .init(expected: expected.joined(separator: ", "), actual: actual.joined(separator: ", "))
    }

    private static func describe(_ item: JSONObject) -> String {
        switch item["form"]?.text {
        case "jws": "jws \(item["value"]?.text ?? "")"
        case "play": "play \(item["data"]?.text ?? "") \(item["signature"]?.text ?? "")"
        case let form: form ?? "no form"
        }
    }

    private static func describe(_ input: ReceiptInput) -> String? {
        switch input {
        case .jws(let text): "jws \(String(decoding: text, as: UTF8.self))"
        case .play(let data, let signature):
            "play \(String(decoding: data, as: UTF8.self)) \(String(decoding: signature, as: UTF8.self))"
        case .appReceipt: "app-receipt"
        case .unrecognized, .unsearched: nil
        }
    }
}

/// Vectors of key cache files.
enum KeyCacheVectors {
    static func evaluator(for group: JSONObject) -> ((JSONObject) -> VectorRunner.Outcome)? {
        guard let hexadecimal = group["sealingKey"]?.text, let key = SHA256Digest(hexadecimal: hexadecimal),
            let sealingKey = SealingKey(bytes: key.bytes)
        else { return nil }
        return { test in
            let outcome = test["outcome"]?.text ?? ""
            let expected =
                test["code"]?.text.map { "\(outcome) \($0)" } ?? "\(outcome) \(test["entries"]?.integer ?? 0)"
            guard let file = test["file"]?.text.flatMap(Base64.standard.decode) else {
                return .init(expected: expected, actual: "a test that cannot be set up")
            }
            let cache = VerificationKeyCache()
            do {
                let warning = try cache.load(file, sealingKey: sealingKey)
                return .init(
                    expected: expected,
                    actual: warning.map { "ignored \($0.code)" } ?? "loaded \(cache.statistics.entries)"
                )
            } catch {
                return .init(expected: expected, actual: "\(error)")
            }
        }
    }
}
