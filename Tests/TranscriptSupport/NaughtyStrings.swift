import CommandLineInterface

/// Texts that programs print, parse or compare wrongly, in the manner of the Big List of Naughty Strings.
package enum NaughtyStrings {
    package static let all: [String] =
        controls + bidirectional + invisible + [
            // Interpreted by a terminal, a shell, a format, a page or a spreadsheet.
            "\u{1b}[2J\u{1b}[31mred", "\u{1b}]0;title\u{7}", "\u{9b}31m", "a\r\nverified: a transaction",
            "a\u{8}\u{8}b",
            "$(touch /tmp/x)", "`id`", "; rm -rf x", "'\"\\", "%n%s%x", "{0}", "\\u001b[31m", "\\",
            "<script>alert(1)</script>",
            "&lt;b&gt;", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "a,b;c\td", "\"", "'", "--help", "-", "null",
            "undefined",
            "NaN", "true", "0", "1e400", "0x", " ", "\t", "", "../../etc/passwd", "C:\\con", "{\"a\": 1}", "[]",
            "eyJhbGciOiJub25lIn0.e30.",
            // Other scripts, combining characters and pictures, which are printed as they are.
            "مرحبا", "שלום", "社會科學院語學研究所", "ﷺ", "Z̸̢̛a̷l̶g̵o̷", "👩‍👩‍👧‍👦", "🇯🇵", "ｆｕｌｌ", "ß", "İ", "ǅ", "e\u{301}", "é",
            // Not characters.
            "\u{fffe}", "\u{ffff}", "\u{fffd}", "\u{10ffff}", "\u{e000}",
            String(repeating: "A", count: 3000), String(repeating: "\u{301}", count: 300),
        ]

    private static let controls = (Array(0x1...0x1f) + Array(0x7f...0x9f)).compactMap(Unicode.Scalar.init).map {
        "a\($0)b"
    }
    private static let bidirectional = [
        "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        "\u{200e}", "\u{200f}", "\u{61c}",
    ].map { "a\($0)b" }
    private static let invisible = [
        "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{ad}", "\u{34f}", "\u{180e}", "\u{2028}",
        "\u{2029}",
        "\u{85}", "\u{fe0f}", "\u{e0001}", "\u{e0041}", "\u{e0100}", "\u{115f}", "\u{3164}", "\u{fff9}", "\u{2800}",
    ].map { "a\($0)b" }

    /// Those that can be the name of a file.
    package static let fileNames = all.filter { !$0.isEmpty && !$0.contains("/") && $0.utf8.count < 200 }

    /// Returns a text as one word of a shell.
    package static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// Returns the lines with a character that a terminal interprets or hides.
    package static func unsafe(_ lines: [String]) -> [String] {
        lines.filter { $0.unicodeScalars.contains(where: Escaped.isUnsafe) }
    }
}
