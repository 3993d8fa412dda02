internal import CommandLineInterface
internal import ReceiptTypes

/// What the color of a mark stands for; the style sheet has its colors.
enum Tone: String {
    case verified, revoked, unverified, undecided
    /// An amount without a verdict.
    case plain

    init(_ verdict: Verdict) {
        switch verdict {
        case .verified: self = .verified
        case .unverified: self = .unverified
        case .undecided: self = .undecided
        }
    }

    /// The words of a legend, each with a mark of its color.
    static func legend(_ entries: [(tone: Tone, text: String)]) -> HTML {
        let items = entries.map { entry -> HTML in
            "<li><span class=\"mark \(entry.tone.rawValue)\"></span>\(entry.text)</li>"
        }
        return "<ul class=\"legend\">\(items)</ul>\n"
    }
}
