@testable internal import ReceiptVerification

/// A JWS that is signed after the fuzzer has chosen its parts, with the facts that decide its expected verdict.
struct SignedJWS {
    /// A change of the signature.
    enum Flaw: Int, CaseIterable {
        case none
        /// s replaced by n - s, which is another valid signature.
        case negated
        case bitChanged
        case swapped
        case shortened
        case zeroR
        case orderS
        case otherKey
        case otherContent

        /// Whether the signature is valid for header, payload and key.
        var isGenuine: Bool { self == .none || self == .negated }
    }

    /// The origin of the header.
    enum Header: Int, CaseIterable {
        /// As the App Store writes it.
        case standard
        /// `alg` and `x5c`, followed by members of the fuzzer.
        case extended
        /// Chosen by the fuzzer; `%X` stands for the list of certificates.
        case custom
    }

    let bytes: [UInt8]
    let payload: [UInt8]
    let signer: Int
    let flaw: Flaw
    let header: Header

    /// Whether a verifier must accept header, chain and signature.
    var isSound: Bool { header == .standard && flaw.isGenuine && !payload.isEmpty }

    /// Reads the choices and signs.
    init(payload: [UInt8], headerText: [UInt8], _ choices: inout Choices) {
        let index = choices.number(below: FixedAuthority.signers.count)
        let signer = FixedAuthority.signers[index]
        let kind = Header(rawValue: choices.number(below: Header.allCases.count)) ?? .standard
        let flaw = Flaw(rawValue: choices.number(below: Flaw.allCases.count)) ?? .none
        let headerBytes: [UInt8] =
            switch kind {
            case .standard: signer.header
            case .extended: [UInt8]("{\"alg\":\"ES256\",\"x5c\":".utf8) + signer.x5c + headerText + [UInt8(ascii: "}")]
            case .custom: headerText.replacing(Placeholder.chain) { signer.x5c }
            }
        bytes = Self.sign(header: headerBytes, payload, signer, flaw, &choices)
        self.payload = payload
        self.signer = index
        self.flaw = flaw
        header = kind
    }

    private static func sign(
        header: [UInt8],
        _ payload: [UInt8],
        _ signer: FixedAuthority.Signer,
        _ flaw: Flaw,
        _ choices: inout Choices
    ) -> [UInt8] {
        let input = FixedAuthority.Signer.signingInput(header: header, payload: payload)
        let key = flaw == .otherKey ? FixedKey("stranger") : signer.key
        var signature = key.sign(flaw == .otherContent ? input + [0x20] : input)
        let (r, s) = ([UInt8](signature[..<32]), [UInt8](signature[32...]))
        switch flaw {
        case .none, .otherKey, .otherContent: break
        case .negated: signature = r + (-Scalar(s)).bytes
        case .bitChanged: signature[choices.number(below: 64)] ^= 1 << UInt8(choices.number(below: 8))
        case .swapped: signature = s + r
        case .shortened: signature.removeLast(1 + choices.number(below: 64))
        case .zeroR: signature = Scalar.zero.bytes + s
        case .orderS: signature = r + Scalar.order
        }
        return input + [UInt8(ascii: ".")] + PlainBase64.url.encode(signature)
    }
}

/// Letters that, after a percent sign, stand for something that the fuzzer cannot write itself.
enum Placeholder {
    static let chain = UInt8(ascii: "X")
    /// A transaction, a renewal info and an app transaction.
    static let receipts = [UInt8(ascii: "T"), UInt8(ascii: "R"), UInt8(ascii: "A")]
    /// The number of replacements per text, which bounds its length.
    static let maximumCount = 4
}

extension [UInt8] {
    /// Returns the text with a placeholder replaced; the replacement is computed once, and only if it is needed.
    func replacing(_ placeholder: UInt8, with make: () -> [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var filling: [UInt8]?
        var count = 0
        var index = 0
        while index < self.count {
            let isPlaceholder =
                self[index] == UInt8(ascii: "%") && index + 1 < self.count && self[index + 1] == placeholder
            if isPlaceholder, count < Placeholder.maximumCount {
                let bytes = filling ?? make()
                filling = bytes
                result += bytes
                count += 1
                index += 2
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }
}
