internal import CommandLineInterface

/// The folder of what the tool keeps between runs, by the rules of the XDG base directories.
enum StateFolder {
    /// Returns the path of the folder, which need not exist.
    static func path(
        _ arguments: Arguments, environment: (String) -> String? = SystemCalls.environment
    ) throws(UsageError) -> String {
        // A command without the flag does not read its variable, but the folder is the same.
        let variable = VerifyReceipt.environmentVariable(of: .stateDirectory).flatMap(environment)
        if let path = arguments.value(of: .stateDirectory) { return path }
        if let variable, !variable.isEmpty { return variable }
        // The specification says that a relative path is invalid and has to be ignored.
        if let folder = environment("XDG_STATE_HOME"), folder.hasPrefix("/") { return "\(folder)/verify-receipt" }
        let hint = "name a folder with --state-dir or VERIFY_RECEIPT_STATE_DIR, or a key with --sealing-key"
        guard let home = environment("HOME"), home.hasPrefix("/") else {
            throw UsageError("there is no home folder for the sealing key: HOME is not set", hint: Escaped(hint))
        }
        // Services often have a home folder that does not exist, and creating it would be wrong.
        guard SystemCalls.exists(home) else {
            throw UsageError(
                "there is no home folder for the sealing key: no folder \(home)", hint: Escaped(hint))
        }
        return "\(home)/.local/state/verify-receipt"
    }
}
