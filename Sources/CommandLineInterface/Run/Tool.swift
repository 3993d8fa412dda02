/// A command-line tool: its tables, and the work that its commands do.
package protocol Tool: ToolDefinition {
    /// Runs the command of a session.
    static func perform(_ session: ToolSession<Self>) async throws -> ExitCode
    /// Returns the paths of the tool's own files and folders, also of files that do not exist: a run that prints its
    /// results into a file replaces none of them, and creates no file in one of the folders.
    static func ownPaths(_ arguments: ToolArguments<Self>) -> [String]
}

extension Tool {
    package static func ownPaths(_ arguments: ToolArguments<Self>) -> [String] { [] }
}
