/// Completions for zsh.
enum ZshCompletion {
    static var text: String {
        """
        #compdef verify-receipt
        # zsh completion for verify-receipt; write it to a file named _verify-receipt in a folder of $fpath
        _verify_receipt() {
            local command=verify word context state state_descr line
            typeset -A opt_args
            for word in ${words[2,CURRENT-1]}; do
                case $word in
                    \(Command.allCases.map(\.rawValue).joined(separator: "|"))) command=$word; break ;;
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
                first) _describe command commands; _files ;;
                rest)
                    case $command in
        \(actions)
                    esac
                    _files ;;
            esac
        }
        if [[ $funcstack[1] == _verify-receipt ]]; then _verify_receipt "$@"; else compdef _verify_receipt verify-receipt; fi

        """
    }

    private static var commands: String {
        Command.allCases.map { "        '\($0):\(escape($0.definition.summary))'" }.joined(separator: "\n")
    }

    private static var options: String {
        Command.allCases.map { command in
            let specifications = command.flags.flatMap(specifications).map { "            \($0)" }
            return "        \(command)) options=(\n\(specifications.joined(separator: "\n"))\n        ) ;;"
        }.joined(separator: "\n")
    }

    private static func specifications(_ flag: Flag) -> [String] {
        let definition = flag.definition
        let description = "[\(escape(definition.summary))]"
        let value = definition.value.map { name in
            switch definition.completion {
            case .nothing: ":\(name): "
            case .files: ":\(name):_files"
            case .directories: ":\(name):_files -/"
            case .words(let words): ":\(name):(\(words.joined(separator: " ")))"
            }
        }
        let star = definition.isRepeatable ? "*" : ""
        var result = ["'\(star)\(flag.spelling)\(value == nil ? "" : "=")\(description)\(value ?? "")'"]
        if let short = definition.short {
            result.append("'\(star)-\(short)\(value == nil ? "" : "+")\(description)\(value ?? "")'")
        }
        return result
    }

    private static var actions: String {
        Command.allCases.filter { !$0.definition.actions.isEmpty }.map { command in
            "                \(command)) compadd \(command.definition.actions.joined(separator: " ")) ;;"
        }.joined(separator: "\n")
    }

    /// Colons and brackets end a description, and an apostrophe ends the quotation around it.
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
