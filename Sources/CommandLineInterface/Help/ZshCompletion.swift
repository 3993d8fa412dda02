/// The completion script for zsh.
enum ZshCompletion<Program: ToolDefinition> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    static var text: String {
        """
        #compdef \(Program.name)
        # zsh completion for \(Program.name); save it as _\(Program.name) in a folder of $fpath
        _\(Program.identifier)() {
            local command=\(Program.defaultCommand.name) word context state state_descr line
            typeset -A opt_args
            for word in ${words[2,CURRENT-1]}; do
                case $word in
                    \(Command.allCases.map(\.name).joined(separator: "|"))) command=$word; break ;;
                esac
            done
            local -a commands=(
        \(commands)
            )
            local -a options
            case $command in
        \(options)
            esac
            _arguments -s -S $options '1: :->first' '*: :->rest'
            case $state in
                first) compadd help; _describe command commands; _files ;;
                rest)
                    if [[ $words[2] == help ]]; then _describe command commands; return; fi
                    case $command in
        \(actions)
                    esac
                    _files ;;
            esac
        }
        if [[ $funcstack[1] == _\(Program.name) ]]; then _\(Program.identifier) "$@"; \
        else compdef _\(Program.identifier) \(Program.name); fi

        """
    }

    private static var commands: String {
        Command.allCases.map { "        '\($0.name):\(escape($0.definition.summary))'" }.joined(separator: "\n")
    }

    private static var options: String {
        Command.allCases.map { command in
            let specifications = Program.flags(of: command).flatMap(specifications).map { "            \($0)" }
            return "        \(command.name)) options=(\n\(specifications.joined(separator: "\n"))\n        ) ;;"
        }.joined(separator: "\n")
    }

    private static func specifications(_ flag: Program.Flag) -> [String] {
        let definition = flag.definition
        let description = "[\(escape(definition.summary))]"
        let value = definition.value.map { value in
            switch value.completion {
            case .nothing: ":\(value.name): "
            case .files: ":\(value.name):_files"
            case .folders: ":\(value.name):_files -/"
            case .words(let words): ":\(value.name):(\(words.joined(separator: " ")))"
            case .list(let words): ":\(value.name):_sequence compadd - \(words.joined(separator: " "))"
            }
        }
        let star = definition.isRepeatable ? "*" : ""
        var result = ["'\(star)\(flag.spelling)\(value == nil ? "" : "=")\(description)\(value ?? "")'"]
        if let short = definition.short {
            result.append("'\(star)-\(short)\(value == nil ? "" : "+")\(description)\(value ?? "")'")
        }
        if let negated = flag.negatedSpelling { result.append("'\(negated)[turn \(flag.spelling) off]'") }
        return result
    }

    private static var actions: String {
        Command.allCases.filter { !$0.definition.actions.isEmpty }.map { command in
            "                \(command.name)) compadd \(command.definition.actions.joined(separator: " ")) ;;"
        }.joined(separator: "\n")
    }

    /// Escapes colons and brackets, which end a description, and apostrophes, which end the quotation around it.
    private static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case ":", "[", "]": result += "\\\(character)"
            case "'": result += "'\\''"
            default: result.append(character)
            }
        }
        return result
    }
}
