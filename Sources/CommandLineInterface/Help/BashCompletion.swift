/// The completion script for bash.
enum BashCompletion<Program: ToolDefinition> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    static var text: String {
        """
        # bash completion for \(Program.name); load it with: source <(\(Program.name) --generate complete-bash)
        # Offers the lines of a command; a name can have blanks. The bash of macOS has no mapfile.
        _\(Program.identifier)_offer() {
            local line
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <("$@")
        }
        # Offers words with commas between them, behind those that are there.
        _\(Program.identifier)_offer_list() {
            local complete=
            if [[ $current == *,* ]]; then complete=${current%,*},; fi
            compopt -o nospace 2>/dev/null
            _\(Program.identifier)_offer compgen -P "$complete" -W "$1" -- "${current##*,}"
        }
        _\(Program.identifier)() {
            local current previous word command=\(Program.defaultCommand.name)
            current=${COMP_WORDS[COMP_CWORD]}
            previous=${COMP_WORDS[COMP_CWORD-1]}
            # bash splits --flag=value into three words.
            if [[ $current == "=" ]]; then current=; fi
            if [[ $previous == "=" ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
            for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                case $word in
                    \(Command.allCases.map(\.name).joined(separator: "|"))) command=$word; break ;;
                esac
            done
            COMPREPLY=()\(sharedNames)
            case $previous in
        \(values)
            esac
            if [[ $current == -* ]]; then
                case $command in
        \(options)
                esac
                return
            fi
            if [[ $COMP_CWORD == 2 && ${COMP_WORDS[1]} == help ]]; then
                \(offer(words: Command.allCases.map(\.name))); return
            fi
            case $command in
        \(actions)
            esac
            if [[ $COMP_CWORD == 1 ]]; then
                \(offer(words: ["help"] + Command.allCases.map(\.name)))
            fi
            \(offer("-f"))
        }
        complete -o filenames -F _\(Program.identifier) \(Program.name)

        """
    }

    /// The values of the flags whose names no other flag has.
    private static var values: String {
        Flag.allCases.compactMap { flag -> String? in
            guard !isNameShared(flag), let value = flag.definition.value else { return nil }
            return "        \(spellings(of: flag).joined(separator: "|"))) \(reply(with: value)) ;;"
        }.joined(separator: "\n")
    }

    /// The values of the flags that have a name in common with flags of other commands; empty if there are none.
    private static var sharedNames: String {
        let cases = Flag.allCases.compactMap { flag -> String? in
            guard isNameShared(flag), let value = flag.definition.value else { return nil }
            let patterns = flag.commands.flatMap { command in
                spellings(of: flag).map { "\"\(command.name) \($0)\"" }
            }
            return "        \(patterns.joined(separator: "|"))) \(reply(with: value)) ;;\n"
        }
        return cases.isEmpty ? "" : "\n    case \"$command $previous\" in\n\(cases.joined())    esac"
    }

    private static func isNameShared(_ flag: Flag) -> Bool {
        Flag.allCases.contains { $0 != flag && $0.name == flag.name }
    }

    private static func spellings(of flag: Flag) -> [String] {
        [flag.definition.short.map { "-\($0)" }, flag.spelling].compactMap { $0 }
    }

    private static func reply(with value: FlagValue) -> String {
        switch value.completion {
        case .nothing: "return"
        case .files: "\(offer("-f")); return"
        case .folders: "\(offer("-d")); return"
        case .words(let words): "\(offer(words: words)); return"
        case .list(let words): "_\(Program.identifier)_offer_list \"\(words.joined(separator: " "))\"; return"
        }
    }

    private static var options: String {
        Command.allCases.map { command in
            let names = Program.flags(of: command).flatMap { [$0.spelling] + ($0.negatedSpelling.map { [$0] } ?? []) }
            return "            \(command.name)) \(offer(words: names)) ;;"
        }.joined(separator: "\n")
    }

    private static var actions: String {
        Command.allCases.filter { !$0.definition.actions.isEmpty }.map { command in
            "        \(command.name)) \(offer(words: command.definition.actions)) ;;"
        }.joined(separator: "\n")
    }

    /// A call that offers what `compgen` lists.
    private static func offer(_ list: String) -> String {
        "_\(Program.identifier)_offer compgen \(list) -- \"$current\""
    }

    private static func offer(words: [String]) -> String { offer("-W \"\(words.joined(separator: " "))\"") }
}
