@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Batches: receipts as lines, JSON Lines, CSV and whole files, in pieces of any size.
///
/// However the bytes come and however many jobs there are, the output is the same, and each line of it is one JSON object.
/// Sections of an input: the choices, then a source each, in which `%T` stands for a genuine receipt, `%O` for one of
/// another signer, `%B` for a refused one, and `%F` for a long run of one letter.
final class BatchTarget: FuzzTarget {
    static let name = "batch"
    static let summary = "batches of lines, JSON Lines, CSV and whole files, in pieces of any size"
    static let maximumLength = 1024

    private let verifier: ReceiptVerifier
    private let smallVerifier: ReceiptVerifier
    private let fillings: [(letter: UInt8, text: [UInt8])]

    init() throws {
        let anchors = FixedAuthority.anchors
        verifier = ReceiptVerifier(trustAnchors: anchors, clock: { Judge.clock })
        smallVerifier = ReceiptVerifier(policy: .init(maximumSize: 3000), trustAnchors: anchors, clock: { Judge.clock })
        let payload = [UInt8](SampleText.transaction.utf8)
        let forged = FixedAuthority.Signer(key: FixedKey("nobody"), chain: FixedAuthority.signers[0].chain)
        fillings = [
            (UInt8(ascii: "T"), FixedAuthority.signers[0].sign(payload: payload)),
            (UInt8(ascii: "O"), FixedAuthority.signers[1].sign(payload: [UInt8](SampleText.renewalInfo.utf8))),
            (UInt8(ascii: "B"), forged.sign(payload: payload)),
            (UInt8(ascii: "F"), [UInt8](repeating: UInt8(ascii: "f"), count: 66_000)),
        ]
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        // Format; output; size limit; jobs; the number of piece sizes and these sizes.
        [
            ("lines", Sections.join([0, 0, 0, 1, 2, 7, 250], "%T\n%B\n\nnothing\n%O")),
            ("json", Sections.join([1, 0, 0, 1, 1, 100], "{\"receipt\":\"%T\"}\n{\"receipt\":{\"signedPayload\":\"%O\"}}\nx\n")),
            ("csv", Sections.join([2, 0, 0, 1, 1, 3], "id,receipt\r\n1,%T\r\n2,\"%B\"\r\n\"a\"\"\n,b\",\"{\"\"a\"\":1}\"\r\n3\r\n")),
            ("whole", Sections.join([3, 0, 0, 1, 1, 9], "%T", "[\"%O\",\"%T\"]", "")),
            ("csv-output", Sections.join([0, 1, 0, 0, 1, 0], "%T\n%B\n=1+1")),
            ("long", Sections.join([0, 0, 1, 1, 2, 0, 0], "%T\n%F%F%F%F\n%T")),
            ("many-long", Sections.join([0, 0, 0, 1, 1, 0], "%T\n%F\n%F\n%F\n%T\n%F\n%O")),
            ("long-csv", Sections.join([2, 0, 1, 1, 1, 0], "receipt\n\"%F\n%F\n%F%F\"\n%T\n")),
            ("mark", Sections.join([2, 0, 0, 0], "\u{FEFF}receipt,b\n%T,\n")),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let sections = Sections(input)
        var choices = Choices(sections[0])
        let formats: [BatchFormat] = [.lines, .json(field: "receipt"), .csv(column: "receipt"), .whole]
        let format = choices.element(of: formats)
        let output = choices.element(of: [BatchOutputFormat.jsonLines, .csv])
        let verifier = choices.flag() ? smallVerifier : self.verifier
        let jobs = 1 + choices.number(below: 3)
        let sizes = choices.run().map { $0 == 0 ? 65_536 : Int($0) }
        let sources = (1...3).map { fill(sections[$0]) }.filter { !$0.isEmpty }

        let whole = try BatchRun(sources, format, output, verifier, jobs: 1, pieces: [])
        let pieces = try BatchRun(sources, format, output, verifier, jobs: jobs, pieces: sizes)
        requireEqual(pieces.failure, whole.failure, "whether a batch can be read")
        requireEqual(pieces.lines, whole.lines, "the output for pieces of \(sizes.prefix(8)) and \(jobs) jobs")
        requireEqual(pieces.summary?.json, whole.summary?.json, "the summary")
        whole.check()
        if format == .lines, output == .jsonLines { whole.compareWithSingles(sources, verifier) }
    }

    private func fill(_ text: [UInt8]) -> [UInt8] {
        fillings.reduce(text) { text, filling in text.replacing(filling.letter) { filling.text } }
    }
}
