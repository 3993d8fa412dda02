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
            COMPREPLY=()
            case $previous in
        \(values)
            esac
            if [[ $current == -* ]]; then
                case $command in
        \(options)
                esac
                return
            fi
            case $command in
        \(actions)
            esac
            if [[ $COMP_CWORD == 1 ]]; then
                \(offer(words: Command.allCases.map(\.name)))
            fi
            \(offer("-f"))
        }
        complete -o filenames -F _\(Program.identifier) \(Program.name)

        """
    }

    private static var values: String {
        Flag.allCases.compactMap { flag -> String? in
            guard let value = flag.definition.value else { return nil }
            let names = [flag.definition.short.map { "-\($0)" }, flag.spelling].compactMap { $0 }.joined(separator: "|")
            let reply =
                switch value.completion {
                case .nothing: "return"
                case .files: "\(offer("-f")); return"
                case .folders: "\(offer("-d")); return"
                case .words(let words): "\(offer(words: words)); return"
                }
            return "        \(names)) \(reply) ;;"
        }.joined(separator: "\n")
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
