@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Any bytes as a JWS, end to end.
///
/// Nobody signs for the fuzzer here, so whatever is verified must be one of the texts that were signed beforehand, in
/// header and payload to the byte.
final class JWSTarget: FuzzTarget {
    static let name = "jws"
    static let summary = "any bytes as a JWS, end to end"
    static let maximumLength = 8192

    private let judge: Judge
    private let genuine: [[UInt8]]
    private let genuineInputs: Set<[UInt8]>

    init() throws {
        judge = try Judge()
        let payloads = [
            SampleText.transaction, SampleText.subscription, SampleText.renewalInfo, SampleText.appTransaction,
            SampleText.realtimeRequest, SampleText.summary, "null", "{}",
        ]
        genuine = payloads.enumerated().map { index, payload in
            FixedAuthority.signers[index % 2].sign(payload: [UInt8](payload.utf8))
        }
        genuineInputs = Set(genuine.map(Self.signingInput))
        require(judge.verdict(on: genuine[0]).isVerified, "the fuzz target is broken: a genuine JWS is refused")
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        genuine.enumerated().map { ("genuine-\($0)", $1) } + [
            ("no-header", [UInt8]("eyJ9.e30.AA".utf8)),
            ("empty-chain", FixedAuthority.signers[0].sign(header: #"{"alg":"ES256","x5c":[]}"#, payload: [])),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let verdict = judge.verdict(on: input)
        guard verdict.isVerified else { return }
        require(genuineInputs.contains(Self.signingInput(of: input)), "verified, though nobody has signed it")
    }

    /// Everything before the last dot.
    private static func signingInput(of jws: [UInt8]) -> [UInt8] {
        [UInt8](jws[..<(jws.lastIndex(of: UInt8(ascii: ".")) ?? 0)])
    }
}
