/// The flags that every tool has, in the same words.
extension FlagDefinition {
    package static var output: Self {
        .init(
            .output, Array(Flag.Command.allCases), short: "o", value: "FILE", completion: .files,
            summary: "write the result to FILE instead of standard output",
            details: "The file appears when it is complete, in place of one that was there."
        )
    }

    package static var color: Self {
        .init(
            .output, Array(Flag.Command.allCases), value: "WHEN", readsEnvironment: true,
            completion: .words(["auto", "always", "never"]),
            summary: "colour the text: auto, always or never",
            details: "auto is the default: on a terminal, unless NO_COLOR is set or TERM is dumb. JSON has no colour."
        )
    }

    package static var quiet: Self {
        .init(
            .output, Array(Flag.Command.allCases), short: "q",
            summary: "no warnings, hints or progress on standard error"
        )
    }

    package static var help: Self {
        .init(
            .general, Array(Flag.Command.allCases), short: "h",
            summary: "show help; -h is short, --help is long"
        )
    }

    package static var version: Self {
        .init(.general, Array(Flag.Command.allCases), summary: "show the version")
    }

    package static var generate: Self {
        .init(
            .general, Array(Flag.Command.allCases), value: "WHAT",
            completion: .words(["man", "complete-bash", "complete-zsh", "complete-fish"]),
            summary: "print the manual page or a shell's completions",
            details: "man, complete-bash, complete-zsh or complete-fish."
        )
    }
}
