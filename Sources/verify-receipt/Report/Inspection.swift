internal import ReceiptResults
internal import ReceiptTypes
internal import ReceiptVerification

/// The output of `inspect`: the unverified contents of a receipt.
struct Inspection {
    /// The depth of nested receipts; genuine ones need one level, transactions in a notification.
    private static let maximumDepth = 3
    private static let nameWidth = 40

    private let input: ReceiptInput
    private let receipt: UntrustedReceipt?
    private let appReceipt: UntrustedAppReceipt?

    init(_ input: ReceiptInput) {
        self.input = input
        if case .jws(let text) = input { receipt = UntrustedReceipt(decoding: text) } else { receipt = nil }
        if case .appReceipt(let bytes) = input {
            appReceipt = UntrustedAppReceipt(decoding: bytes)
        } else {
            appReceipt = nil
        }
    }

    /// The verdict that verification gives if the receipt cannot be decoded; nil if it could be decoded.
    var verdict: Verdict? {
        switch input {
        case .jws: receipt != nil ? nil : foreign != nil ? .undecided : .unverified
        case .play: nil
        case .appReceipt: appReceipt == nil ? .unverified : nil
        case .unrecognized, .unsearched: .undecided
        }
    }

    /// What the input is, if it is known to be no receipt.
    private var foreign: ForeignInput? {
        switch input {
        case .jws(let text): ForeignInput(encodedIn: text)
        case .unrecognized(let text): ForeignInput(recognizing: text)
        case .play, .appReceipt, .unsearched: nil
        }
    }

    private var form: String {
        switch input {
        case .jws: "jws"
        case .play: "play"
        case .appReceipt: "app-receipt"
        case .unrecognized: "unrecognized"
        case .unsearched: "unsearched"
        }
    }

    // MARK: Text

    /// The decoded values, one per line.
    var lines: [String] {
        switch input {
        case .jws:
            guard let receipt else {
                return [Self.line("form", foreign.map(Self.name) ?? "a JWS that cannot be decoded")]
            }
            return Self.lines(of: receipt, prefix: "", depth: 0)
        case .play(let data, let signature):
            return [
                Self.line("form", "a Google Play purchase"), Self.line("data", String(decoding: data, as: UTF8.self)),
                Self.line("signature", String(decoding: signature, as: UTF8.self)),
            ]
        case .appReceipt(let bytes):
            guard let appReceipt else {
                return [Self.line("form", "an app receipt of \(bytes.count) bytes that cannot be decoded")]
            }
            return Self.lines(of: appReceipt)
        case .unrecognized(let bytes):
            return [Self.line("form", foreign.map(Self.name) ?? "\(bytes.count) bytes in an unknown format")]
        case .unsearched(let bytes):
            return [Self.line("form", "\(bytes.count) bytes that were not searched to their end")]
        }
    }

    private static func name(_ foreign: ForeignInput) -> String { "\(foreign.name), which is not a receipt" }

    private static func lines(of receipt: UntrustedReceipt, prefix: String, depth: Int) -> [String] {
        var lines = [line(prefix + "looks like", receipt.kind?.title ?? "an unknown kind")]
        for member in receipt.header.members where member.name != "x5c" {
            lines.append(line("\(prefix)header.\(member.name)", member.value.displayText))
        }
        if let chain = receipt.header["x5c"] {
            lines.append(
                line(prefix + "header.x5c", chain.elements.map { "\($0.count) certificates" } ?? "not an array"))
        }
        for (index, certificate) in receipt.certificates {
            lines += Self.lines(of: certificate, prefix: "\(prefix)certificate \(index) ")
        }
        lines += payloadLines(of: receipt, prefix: prefix, depth: depth)
        lines.append(line(prefix + "signature", receipt.signature.map { "\($0.count) bytes" } ?? "not base64url"))
        return lines
    }

    private static func lines(of receipt: UntrustedAppReceipt) -> [String] {
        var lines = [line("looks like", ReceiptKind.appReceipt.title)]
        for (index, certificate) in receipt.certificates {
            lines += Self.lines(of: certificate, prefix: "certificate \(index) ")
        }
        if let payload = receipt.payload {
            lines += AppReceipt.schema.listing(of: payload.members).map { line("payload.\($0.name)", $0.text) }
        } else {
            lines.append(line("payload", "attributes that cannot be read"))
        }
        lines.append(line("signature", "\(receipt.signature.count) bytes, over \(receipt.hash ?? "another digest")"))
        return lines
    }

    private static func lines(of certificate: UntrustedCertificate, prefix: String) -> [String] {
        [
            line(prefix + "subject", certificate.subject), line(prefix + "issuer", certificate.issuer),
            line(prefix + "serial", certificate.serialNumber),
            line(prefix + "valid", "\(certificate.notBefore) to \(certificate.notAfter)"),
            line(prefix + "key", certificate.key), line(prefix + "signed with", certificate.signatureAlgorithm),
            line(prefix + "SHA-256", certificate.fingerprint.description),
        ]
    }

    private static func payloadLines(of receipt: UntrustedReceipt, prefix: String, depth: Int) -> [String] {
        guard let payload = receipt.payload else { return [line(prefix + "payload", "not valid JSON")] }
        guard let object = payload.object else { return [line(prefix + "payload", payload.displayText)] }
        // Every schema lists all values, so an unknown kind can use any; the schema only affects how they are
        // displayed.
        let schema = (receipt.kind ?? .transaction).schema
        return schema.listing(of: object).flatMap { entry -> [String] in
            let name = "\(prefix)payload.\(entry.name)"
            guard depth < maximumDepth, entry.text.hasPrefix("eyJ"),
                let nested = UntrustedReceipt(decoding: [UInt8](entry.text.utf8))
            else { return [line(name, entry.text)] }
            return [line(name, "a JWS of \(entry.text.utf8.count) bytes, decoded below")]
                + lines(of: nested, prefix: prefix + "    ", depth: depth + 1)
        }
    }

    private static func line(_ name: String, _ text: String) -> String {
        name + String(repeating: " ", count: max(2, nameWidth - name.count)) + text
    }

    // MARK: JSON

    /// The decoded receipt as a JSON object.
    func json(of found: FoundReceipt) -> JSONObject {
        var object = JSONObject()
        object["type"] = .string("inspection")
        object["source"] = .string(found.source)
        object["item"] = .integer(Int64(found.item))
        object["line"] = found.line.map { .integer(Int64($0)) } ?? .null
        object["verified"] = .boolean(false)
        object["form"] = .string(form)
        switch input {
        case .jws: if let receipt { Self.fill(&object, with: receipt, depth: 0) }
        case .play(let data, let signature):
            object["data"] = .string(String(decoding: data, as: UTF8.self))
            object["signature"] = .string(String(decoding: signature, as: UTF8.self))
        case .appReceipt:
            guard let appReceipt else { break }
            object["looksLike"] = .string(ReceiptKind.appReceipt.rawValue)
            object["certificates"] = .array(appReceipt.certificates.map { $0.certificate.json(index: $0.index) })
            object["payload"] = appReceipt.payload.map { .object($0.members) } ?? .null
            object["signatureBytes"] = .integer(Int64(appReceipt.signature.count))
        case .unrecognized, .unsearched: break
        }
        return object
    }

    private static func fill(_ object: inout JSONObject, with receipt: UntrustedReceipt, depth: Int) {
        object["looksLike"] = ResultObject.text(receipt.kind?.rawValue)
        object["header"] = .object(receipt.header)
        object["certificates"] = .array(receipt.certificates.map { $0.certificate.json(index: $0.index) })
        object["payload"] = receipt.payload ?? .null
        object["signatureBytes"] = receipt.signature.map { .integer(Int64($0.count)) } ?? .null
        guard depth < maximumDepth, let payload = receipt.payload?.object else { return }
        object["nested"] = .array(nested(in: .object(payload), name: "payload", depth: depth))
    }

    private static func nested(in value: JSONValue, name: String, depth: Int) -> [JSONValue] {
        switch value {
        case .string(let text) where text.hasPrefix("eyJ"):
            guard let receipt = UntrustedReceipt(decoding: [UInt8](text.utf8)) else { return [] }
            var object = JSONObject()
            object["name"] = .string(name)
            object["verified"] = .boolean(false)
            fill(&object, with: receipt, depth: depth + 1)
            return [.object(object)]
        case .object(let object):
            return object.members.flatMap { nested(in: $0.value, name: "\(name).\($0.name)", depth: depth) }
        case .array(let elements):
            return elements.enumerated().flatMap { nested(in: $1, name: "\(name)[\($0)]", depth: depth) }
        default:
            return []
        }
    }
}

extension UntrustedCertificate {
    /// The certificate as a JSON object.
    func json(index: Int) -> JSONValue {
        .object([
            "index": .integer(Int64(index)), "subject": .string(subject), "issuer": .string(issuer),
            "serialNumber": .string(serialNumber), "notBefore": .string(notBefore.description),
            "notAfter": .string(notAfter.description), "key": .string(key),
            "signatureAlgorithm": .string(signatureAlgorithm),
            "extensions": .array(extensions.map(JSONValue.string)), "sha256": .string(fingerprint.description),
        ])
    }
}
