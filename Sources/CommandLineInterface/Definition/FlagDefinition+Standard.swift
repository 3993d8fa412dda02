/// The rows of the flags that every tool has.
extension FlagDefinition {
    package static var output: Self {
        .init(
            "output", short: "o", in: .output, value: .writtenFile("FILE"),
            summary: "write results to FILE instead of standard output",
            details: "An existing FILE is replaced only when the results are complete."
        )
    }

    package static var color: Self {
        .init(
            "color", in: .output, value: .word("WHEN", of: ["auto", "always", "never"]), variable: .standard,
            summary: "when to use color: auto, always or never",
            details:
                "With auto, the default, text is colored on a terminal unless NO_COLOR is set or TERM is dumb. JSON "
                + "is never colored."
        )
    }

    package static var quiet: Self {
        .init(
            "quiet", short: "q", in: .output,
            summary: "suppress warnings, notes and progress",
            details: "Errors are still printed."
        )
    }

    package static var help: Self {
        .init("help", short: "h", in: .general, summary: "print help: -h a summary, --help all details")
    }

    package static var version: Self {
        .init("version", in: .general, summary: "print the version")
    }

    package static var generate: Self {
        .init(
            "generate", in: .general,
            value: .word("WHAT", of: ["man", "complete-bash", "complete-zsh", "complete-fish"]),
            summary: "print the manual page or shell completions",
            details: "WHAT is man, complete-bash, complete-zsh or complete-fish."
        )
    }
}
