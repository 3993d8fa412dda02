@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Batches: receipts as lines, JSON Lines, CSV and whole files, in pieces of any size.
///
/// However the bytes come, however many jobs there are, and also when a run is taken up in the middle, the output is the
/// same, and each line of it is one JSON object.
/// Sections of an input: the choices, then a source each, in which `%T` stands for a genuine receipt, `%O` for one of
/// another signer, `%B` for a refused one, and `%F` for a run of blanks.
final class BatchTarget: FuzzTarget {
    static let name = "batch"
    static let summary = "batches of lines, JSON Lines, CSV and whole files, in pieces of any size"
    static let maximumLength = 1024

    private let verifier: ReceiptVerifier
    private let smallVerifier: ReceiptVerifier
    private let fillings: [(letter: UInt8, text: [UInt8])]
    /// Four of these are longer than the blocks of 2 MiB in which a batch reads, and than any record may be. Blanks, since
    /// most of the time would go into looking for receipts in anything else.
    private let longRun = [UInt8](repeating: UInt8(ascii: " "), count: 700_000)

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
        ]
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        // Format; output; size limit; jobs; whether it is immediate; where it is taken up; whether runs are long; the
        // number of piece sizes and these sizes.
        [
            ("lines", Sections.join([0, 0, 0, 1, 1, 1, 0, 2, 7, 250], "%T\n%B\n\nnothing\n%O")),
            (
                "json",
                Sections.join(
                    [1, 0, 0, 1, 0, 1, 0, 1, 100], "{\"receipt\":\"%T\"}\n{\"receipt\":{\"signedPayload\":\"%O\"}}\nx\n"
                )
            ),
            (
                "csv",
                Sections.join(
                    [2, 0, 0, 1, 0, 1, 0, 1, 3],
                    "id,receipt\r\n1,%T\r\n2,\"%B\"\r\n\"a\"\"\n,b\",\"{\"\"a\"\":1}\"\r\n3\r\n")
            ),
            ("whole", Sections.join([3, 0, 0, 1, 0, 1, 0, 1, 9], "%T", "[\"%O\",\"%T\"]", "")),
            ("csv-output", Sections.join([0, 1, 0, 0, 0, 1, 0, 1, 0], "%T\n%B\n=1+1")),
            ("long", Sections.join([0, 0, 1, 1, 1, 1, 0xF0, 2, 0, 0], "%T\nx%F%F%F%F\n%T")),
            ("unfinished", Sections.join([0, 0, 1, 0, 0, 0, 0xF0, 0], "%T\nx%F%F%T\nx%F%F.")),
            ("many-long", Sections.join([0, 0, 0, 1, 0, 1, 0xF0, 1, 0], "%T\n%F\n%Fx\n%T%F\n%B\n%F\n%O")),
            ("long-csv", Sections.join([2, 0, 1, 1, 0, 1, 0xF0, 1, 0], "receipt\n\"%F\n%F\n%F%F\"\n%T\n")),
            ("mark", Sections.join([2, 0, 0, 0, 0, 1, 0], "\u{FEFF}receipt,b\n%T,\n")),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let sections = Sections(input)
        var choices = Choices(sections[0])
        let formats: [BatchFormat] = [.lines, .json(field: "receipt"), .csv(column: "receipt"), .whole]
        var settings = BatchRun.Settings()
        settings.format = choices.element(of: formats)
        settings.output = choices.element(of: [.jsonLines, .csv])
        let verifier = choices.flag() ? smallVerifier : self.verifier
        let jobs = 1 + choices.number(below: 3)
        let isImmediate = choices.flag()
        let place = Int(choices.byte())
        // Long runs take long: only inputs that have this very byte, and what is made of them, go there.
        let run = choices.byte() == 0xF0 ? longRun : [UInt8](longRun.prefix(40))
        let sources = (1...3).map { fill(sections[$0], run) }.filter { !$0.isEmpty }

        let whole = try BatchRun(sources, settings, verifier)
        whole.check()
        if settings.format == .lines, settings.output == .jsonLines { whole.compareWithSingles(sources, verifier) }
        settings.jobs = jobs
        settings.isImmediate = isImmediate
        settings.pieces = choices.run().map { $0 == 0 ? 65_536 : Int($0) }
        let pieces = try BatchRun(sources, settings, verifier)
        compare(pieces, whole, "in pieces of \(settings.pieces.prefix(8)) with \(jobs) jobs")
        requireEqual(pieces.summary?.json, whole.summary?.json, "the summary")

        guard !pieces.positions.isEmpty else { return }
        let (position, byteCount) = pieces.positions[place % pieces.positions.count]
        settings.start = position
        var rest = try BatchRun(sources, settings, verifier)
        rest.putBefore(pieces.lines.prefix(byteCount))
        compare(rest, whole, "taken up at \(position)")
    }

    private func compare(_ run: BatchRun, _ whole: BatchRun, _ how: String) {
        requireEqual(run.failure, whole.failure, "whether a batch can be read, \(how)")
        guard run.lines != whole.lines else { return }
        stop(
            """
            the output is another, \(how)
            \(String(decoding: run.lines, as: UTF8.self))
            -- and not
            \(String(decoding: whole.lines, as: UTF8.self))
            """)
    }

    private func fill(_ text: [UInt8], _ run: [UInt8]) -> [UInt8] {
        fillings.reduce(text) { text, filling in text.replacing(filling.letter) { filling.text } }
            .replacing(UInt8(ascii: "F")) { run }
    }
}
