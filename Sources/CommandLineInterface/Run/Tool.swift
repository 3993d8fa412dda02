/// A command-line tool: its tables, and the work that its commands do.
package protocol Tool: ToolDefinition {
    /// Runs the command of a session.
    static func perform(_ session: ToolSession<Self>) async throws -> ExitCode
}
