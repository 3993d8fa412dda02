/// The completion script for bash.
enum BashCompletion<Program: ToolDefinition> {
    private typealias Command = Program.Command
    private typealias Flag = Program.Flag

    static var text: String {
        """
        # bash completion for \(Program.name); load it with: source <(\(Program.name) --generate complete-bash)
        # shellcheck disable=SC2207 # the bash of macOS has no mapfile, and no word contains a space
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
                COMPREPLY=($(compgen -W "\(Command.allCases.map(\.name).joined(separator: " "))" -- "$current"))
            fi
            COMPREPLY+=($(compgen -f -- "$current"))
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
                case .files: "COMPREPLY=($(compgen -f -- \"$current\")); return"
                case .folders: "COMPREPLY=($(compgen -d -- \"$current\")); return"
                case .words(let words):
                    "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\")); return"
                }
            return "        \(names)) \(reply) ;;"
        }.joined(separator: "\n")
    }

    private static var options: String {
        Command.allCases.map { command in
            let names = Program.flags(of: command).map(\.spelling).joined(separator: " ")
            return "            \(command.name)) COMPREPLY=($(compgen -W \"\(names)\" -- \"$current\")) ;;"
        }.joined(separator: "\n")
    }

    private static var actions: String {
        Command.allCases.filter { !$0.definition.actions.isEmpty }.map { command in
            let words = command.definition.actions.joined(separator: " ")
            return "        \(command.name)) COMPREPLY=($(compgen -W \"\(words)\" -- \"$current\")) ;;"
        }.joined(separator: "\n")
    }
}
