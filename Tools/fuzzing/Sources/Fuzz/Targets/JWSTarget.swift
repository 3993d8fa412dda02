@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Any bytes as a JWS, end to end.
///
/// The fuzzer cannot sign here, so a JWS that is verified must be one of those signed beforehand, with the same bytes
/// in header and payload.
final class JWSTarget: FuzzTarget {
    static let name = "jws"
    static let summary = "any bytes as a JWS, end to end"
    static let maximumLength = 8192

    private let checker: VerdictChecker
    private let genuine: [[UInt8]]
    private let genuineInputs: Set<[UInt8]>

    init() throws {
        checker = try VerdictChecker()
        let payloads = [
            SamplePayload.transaction, SamplePayload.subscription, SamplePayload.renewalInfo,
            SamplePayload.appTransaction,
            SamplePayload.realtimeRequest, SamplePayload.summary, "null", "{}",
        ]
        genuine = payloads.enumerated().map { index, payload in
            FixedAuthority.signers[index % 2].sign(payload: [UInt8](payload.utf8))
        }
        genuineInputs = Set(genuine.map(Self.signingInput))
        require(checker.verdict(on: genuine[0]).isVerified, "the fuzz target is broken: a genuine JWS is rejected")
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        genuine.enumerated().map { ("genuine-\($0)", $1) } + [
            ("no-header", [UInt8]("eyJ9.e30.AA".utf8)),
            ("empty-chain", FixedAuthority.signers[0].sign(header: #"{"alg":"ES256","x5c":[]}"#, payload: [])),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let verdict = checker.verdict(on: input)
        guard verdict.isVerified else { return }
        require(genuineInputs.contains(Self.signingInput(of: input)), "verified, although it was never signed")
    }

    /// Returns everything before the last dot.
    private static func signingInput(of jws: [UInt8]) -> [UInt8] {
        [UInt8](jws[..<(jws.lastIndex(of: UInt8(ascii: ".")) ?? 0)])
    }
}
