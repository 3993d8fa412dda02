internal import CommandLineInterface

/// A part of the page: what it is about, its chart, and the table under it.
struct PageSection {
    let id: String
    let title: String
    /// The most important fact, in a sentence.
    var lead = ""
    var legend: HTML = .empty
    var chart: HTML = .empty
    var table: DataTable?
    /// What a reader has to know to use the numbers.
    var notes: [String] = []
    /// Whether the section is as wide as the page.
    var isWide = false

    var html: HTML {
        let width: HTML = isWide ? " class=\"wide\"" : .empty
        let lead: HTML = lead.isEmpty ? .empty : "<p>\(lead)</p>\n"
        return """
            <section aria-labelledby="\(id)"\(width)>
            <h2 id="\(id)">\(title)</h2>
            \(lead)\(legend)\(chart)\(notes.map { "<p class=\"note\">\($0)</p>\n" })\(table?.disclosed ?? .empty)
            </section>

            """
    }
}
