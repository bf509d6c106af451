import ArgumentParser

/// The names of commands, and the existing names that are similar to an unknown name.
enum CommandNames {
    /// Throws an error if the first words of the command line, or the words after `help`, name no command below `root`.
    static func check(_ arguments: [String], below root: any ParsableCommand.Type) throws(ToolError) {
        var words = arguments.prefix { !$0.hasPrefix("-") }
        if words.first == "help" { words = words.dropFirst() }
        if words == ["exit-codes"] || words == ["config"] { return }
        var command = root
        var path = ["sealite"]
        for word in words {
            let known = command.configuration.subcommands
            guard !known.isEmpty else { return }
            guard let next = known.first(where: { $0._commandName == word }) else {
                throw unknown(word, below: path, known.map { $0._commandName }, leaves(of: root))
            }
            command = next
            path.append(word)
        }
    }

    /// The words of every command without subcommands below a command: `["key", "add"]`. Each command gives its name:
    /// to take them from the types would more than double the time in which the tool starts.
    static func leaves(of command: any ParsableCommand.Type, _ path: [String] = []) -> [[String]] {
        assert(command.configuration.commandName != nil, "\(command) doesn't give its name")
        let below = command.configuration.subcommands
        return below.isEmpty ? [path] : below.flatMap { leaves(of: $0, path + [$0._commandName]) }
    }

    private static func unknown(
        _ word: String, below path: [String], _ names: [String], _ all: [[String]]
    ) -> ToolError {
        let command = path.joined(separator: " ")
        let meant = meant(by: word.lowercased(), below: Array(path.dropFirst()), names, all).map { "'sealite \($0)'" }
        return .usage(
            "'\(command)' has no command \"\(word)\"",
            hint: meant.isEmpty
                ? "'\(command) --help' lists the commands" : "did you mean \(meant.joined(separator: " or "))?")
    }

    /// The names of this tool's commands, by the names that shells and other tools have for corresponding commands.
    private static let usual = [
        "ls": ["list"], "rm": ["delete", "remove"], "cat": ["get"], "show": ["get"], "dump": ["export"],
        "shell": ["sql"], "open": ["sql"], "console": ["sql"], "exec": ["sql"], "rekey": ["rotate"],
        "passwd": ["change"], "check": ["verify"], "repair": ["salvage"], "recover": ["salvage"], "init": ["create"],
        "new": ["create"], "load": ["import"], "find": ["query"], "select": ["query"], "replicate": ["sync"],
        "listen": ["serve"], "vacuum": ["compact"], "gc": ["compact"], "shrink": ["compact"],
        "reindex": ["rebuild"], "refresh": ["update"], "embed": ["update"],
    ]

    /// The most commands that one hint names.
    private static let limit = 3

    /// Returns the commands, without the tool's name, that an unknown word may stand for: those of this name or of a
    /// corresponding one, at this place, below it or anywhere, otherwise the one with the closest name. Names at this
    /// place are closer than equally similar ones below it; `all` has the words of all commands.
    private static func meant(
        by word: String, below path: [String], _ names: [String], _ all: [[String]]
    ) -> [String] {
        let spellings = [word] + (usual[word] ?? [])
        if let name = spellings.first(where: names.contains) { return [(path + [name]).joined(separator: " ")] }
        let below = all.filter { $0.count > path.count + 1 && $0.starts(with: path) }
        for place in [below, all] {
            for spelling in spellings {
                let found = place.filter { $0.last == spelling }
                // Documents first: they are what a short name such as "get" is most likely about.
                let sorted = found.filter { $0.first == "doc" } + found.filter { $0.first != "doc" }
                if !sorted.isEmpty { return sorted.prefix(limit).map { $0.joined(separator: " ") } }
            }
        }
        if let near = nearest(word, in: names) { return [(path + [near]).joined(separator: " ")] }
        let near = [below, all].map { place in place.filter { distance(word, $0.last ?? "") == 1 } }
        return near.first { !$0.isEmpty }?.prefix(limit).map { $0.joined(separator: " ") } ?? []
    }

    /// Returns the name that is closest to a word; nil if none is close.
    static func nearest(_ word: String, in names: [String]) -> String? {
        let word = word.lowercased()
        if let usual = usual[word]?.first(where: names.contains) { return usual }
        let limit = max(1, word.count / 2)
        let best = names.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        if let best, best.distance <= limit { return best.name }
        return names.first { $0.hasPrefix(word) || word.hasPrefix($0) }
    }

    /// Returns the number of letters to insert, remove, replace or swap that make one word of another.
    private static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a.utf8.prefix(64)), Array(b.utf8))
        var (before, last) = ([Int](), Array(0...b.count))
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}

/// Checks of a command line before it is parsed.
enum ArgumentRules {
    /// The options that name a secret. The parser would silently use the last of two.
    private static let once: Set<String> = [
        "--passphrase-file", "--passphrase-fd", "--passphrase-command", "--key-file", "--recovery-key-file",
        "--new-passphrase-file",
        "--new-passphrase-fd", "--new-key-file", "--new-recovery-key-file", "--vault-passphrase-file",
        "--vault-passphrase-fd", "--vault-key-file", "--vault-recovery-key-file", "--password-file", "--password-fd",
        "--session-file", "--identity", "--private-key", "--identity-passphrase-file",
    ]

    /// The short names of options that name a secret, with their long names.
    private static let short = ["-k": "--key-file", "-p": "--passphrase-file"]

    static func check(_ arguments: [String]) throws(ToolError) {
        try checkEncoding()
        let options = arguments.prefix { $0 != "--" }.map { argument in
            let name = String(argument.prefix { $0 != "=" })
            return short[name] ?? name
        }
        for option in once where options.count(where: { $0 == option }) > 1 {
            throw ToolError.usage("\(option) is given twice", hint: "give it only once")
        }
    }

    /// Throws an error if an argument isn't UTF-8, because the parser would change it.
    private static func checkEncoding() throws(ToolError) {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index] else { continue }
            guard unsafe String(validatingCString: word) == nil else { continue }
            throw ToolError.usage(
                "argument \(index) of the command line isn't UTF-8",
                hint: "write text in UTF-8; rename a file with such a name, or reach it by a link whose name is UTF-8")
        }
    }
}
