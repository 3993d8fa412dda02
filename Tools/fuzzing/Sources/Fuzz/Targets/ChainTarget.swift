@testable internal import ReceiptTestAuthority
@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Certificate chains: any bytes instead of a certificate, certificates with a changed structure that are signed again,
/// chains of chosen shapes, lists of certificates in any order, and trust files.
///
/// The first byte of an input selects one of these. Only a chain whose links lead to the trusted root may be accepted.
final class ChainTarget: FuzzTarget {
    static let name = "chain"
    static let summary = "certificate chains: raw, changed and signed again, of chosen shapes; root and key files"
    static let maximumLength = 2048

    private let checker: VerdictChecker
    private let keys: ShapedChain.Keys
    private let signer = FixedAuthority.signers[0]

    init() throws {
        checker = try VerdictChecker()
        keys = try ShapedChain.Keys()
        var nothing = Choices([])
        let plain = must(ShapedChain(keys, &nothing), "the plain shapes")
        require(plain.objection == nil, "the fuzz target is broken: \(plain.objection ?? "")")
        require(try verdict(on: plain).isVerified, "the fuzz target is broken: a plain chain is rejected")
        require(verdict(on: signer.chain).isVerified, "the fuzz target is broken: the fixed chain is rejected")
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        let chain = signer.chain
        return [
            ("raw-leaf", [0, 0] + chain[0]), ("raw-intermediate", [0, 1] + chain[1]), ("raw-root", [0, 2] + chain[2]),
            ("raw-all", [0, 3] + chain.joined()), ("edited-leaf", [1, 0, 0, 1, 12, 7, 3, 1]),
            ("edited-serial", [1, 0, 0, 1, 3, 0, 2, 7, 7]), ("edited-intermediate", [1, 1, 0, 2, 25, 2, 30, 1]),
            ("old-signature", [1, 1, 1, 1, 10, 3, 0x13]), ("edited-root", [1, 2, 0, 1, 20, 1]),
            ("shapes", [2]), ("shape-date", [2, 0, 0x30, 1, 0]), ("shape-key", [2, 0, 4, 1, 0, 4, 3]),
            ("shape-extension", [2, 4, 0, 6, 1, 2, 5, 0]), ("list", [3, 3, 0, 1, 2]),
            ("list-reversed", [3, 3, 2, 1, 0]),
            ("trust-der", [4] + chain[2]),
            ("trust-pem", [4] + [UInt8](PEM.encode(chain[2], label: "CERTIFICATE").utf8)),
            ("trust-key", [4] + FixedAuthority.rootKey.subjectPublicKeyInfo),
            ("trust-point", [4] + FixedAuthority.rootKey.point.bytes),
        ]
    }

    func run(_ input: [UInt8]) throws {
        var choices = Choices(input)
        switch choices.number(below: 5) {
        case 0: runRaw(&choices)
        case 1: runEdited(&choices)
        case 2: try runShapes(&choices)
        case 3: runList(&choices)
        default: TrustFileChecks.check(choices.remainder())
        }
    }

    // MARK: Chains

    private func runRaw(_ choices: inout Choices) {
        var chain = signer.chain
        let place = choices.number(below: 4)
        let bytes = choices.remainder()
        if place < 3 { chain[place] = bytes } else { chain = DER.values(in: bytes) ?? [bytes, bytes, bytes] }
        check(chain, .fixed)
    }

    private func runEdited(_ choices: inout Choices) {
        var chain = signer.chain
        var known = SignedChain.fixed
        let place = choices.number(below: 3)
        let signature = choices.number(below: 3)
        var nodes = must(DERNode.nodes(in: SignedChain.signedPart(of: chain[place])), "a certificate that is DER")
        for _ in 0...choices.number(below: 4) { DERNode.edit(&nodes, &choices) }
        let part = DERNode.encode(nodes)
        switch signature {
        case 0:
            let key = place == 0 ? FixedAuthority.intermediateKey : FixedAuthority.rootKey
            chain[place] = FixedCertificate.sign(part, by: key)
            if place == 0 { known.leaves.insert(SignedChain.signedPart(of: chain[0])) }
            if place == 1 { known.intermediates.insert(SignedChain.signedPart(of: chain[1])) }
        case 1:
            let rest = DER.values(in: DER.content(of: chain[place]))?.dropFirst() ?? []
            chain[place] = DER.sequence([part] + rest)
        default: chain[place] = FixedCertificate.sign(part, by: FixedKey("stranger"))
        }
        guard check(chain, known) else { return }
        // An accepted chain has the markers, and its intermediate is a CA.
        let markers = [FixedCertificate.leafMarker, FixedCertificate.intermediateMarker]
        for (certificate, marker) in zip(chain, markers) {
            require(certificate.contains([UInt8](marker[2..<14])), "accepted without its marker")
        }
        require(chain[1].contains(DER.boolean(true)), "accepted with an intermediate that is not a CA")
    }

    private func runShapes(_ choices: inout Choices) throws {
        guard let shaped = ShapedChain(keys, &choices) else { return }
        let outcome = try verdict(on: shaped)
        guard outcome.isVerified else { return }
        if let reason = shaped.objection { stop("accepted, although \(reason)") }
    }

    private func runList(_ choices: inout Choices) {
        let others = FixedAuthority.signers[1].chain
        let stranger = FixedCertificate(
            subject: "Fuzz Root", issuer: "Fuzz Root", key: FixedKey("stranger").subjectPublicKeyInfo, extensions: []
        )
        let all = signer.chain + [others[0], [], stranger.signed(by: FixedKey("stranger"))]
        check((0..<choices.number(below: 8)).map { _ in choices.element(of: all) }, .fixed)
    }

    // MARK: Verdicts

    /// Verifies a JWS with this chain; returns whether it was accepted.
    @discardableResult
    private func check(_ chain: [[UInt8]], _ known: SignedChain) -> Bool {
        let outcome = verdict(on: chain)
        guard outcome.isVerified else { return false }
        if let reason = known.objection(to: chain) { stop("accepted, although \(reason)") }
        return true
    }

    private func verdict(on chain: [[UInt8]]) -> VerdictChecker.Outcome {
        let signer = FixedAuthority.Signer(key: signer.key, chain: chain)
        return checker.verdict(on: signer.sign(payload: Self.payload), [])
    }

    private func verdict(on shaped: ShapedChain) throws -> VerdictChecker.Outcome {
        var anchors = TrustAnchors()
        do throws(TrustAnchorError) { try anchors.add(shaped.certificates[2]) } catch { return verdict(on: []) }
        let signer = FixedAuthority.Signer(key: keys.fixed[0], chain: shaped.certificates)
        return try VerdictChecker(anchors: anchors).verdict(on: signer.sign(payload: Self.payload), [])
    }

    private static let payload = [UInt8](#"{"transactionId":"1","signedDate":1760000000000}"#.utf8)
}
