/// The sections of shared options in the help of commands, which `--help` only names: `--help-keys` and `--help-store`
/// show them.
enum HelpSections {
    static let keys = "Keys"
    static let store = "Credential store"

    /// The options that show a section of the help, each with the section's title and the line that stands for the
    /// section in `--help`.
    private static let shown = [
        (option: "--help-keys", title: keys, line: "Keys: -k, --key-file, -p, --passphrase-file and others"),
        (option: "--help-store", title: store, line: "Credential store: --store, --vault and others"),
    ]

    /// Returns the title of the section that the arguments ask for; nil if they ask for none.
    static func requested(_ arguments: [String]) -> String? {
        let options = arguments.prefix { $0 != "--" }
        return shown.first { options.contains($0.option) }?.title
    }

    /// The option that names a key, which only commands that take keys have.
    private static let keyOption = "--key-file <"

    /// Returns one section of a command's help; nil if the command has no such options. A command that makes a database
    /// has the options of keys among its own, and so only the order of their sources in this section.
    static func section(_ title: String, of help: String) -> String? {
        let parts = parts(help)
        let found = parts.first { isSection($0, title) }
        guard title == keys else { return found.map { $0 + "\n" } }
        if let found, found.contains(keyOption) { return found + "\n\n" + order(opensDatabase: true) + "\n" }
        return takesNewKey(parts) ? order(opensDatabase: false) + "\n" : nil
    }

    /// Returns whether the options of keys are among a command's own options.
    private static func takesNewKey(_ parts: [String]) -> Bool {
        parts.contains { $0.hasPrefix("OPTIONS:\n") && $0.contains("-k, " + keyOption) }
    }

    /// Returns a command's help with its own options first, and the shared ones named in one line for each section.
    static func folded(_ help: String) -> String {
        var parts = parts(help)
        guard parts.contains(where: { $0.hasPrefix("USAGE:") }) else { return help }
        var own = parts.firstIndex { $0.hasPrefix("OPTIONS:") }.map { parts.remove(at: $0) }
        // Options about prompts alone are no section: they join the command's own.
        if let options = own, let few = parts.firstIndex(where: { isSection($0, keys) && !$0.contains(keyOption) }) {
            own = joined(options, parts.remove(at: few))
        }
        var folded = shown.filter { one in parts.contains { isSection($0, one.title) } }.map {
            ($0.option, $0.title, $0.line)
        }
        if takesNewKey(own.map { [$0] } ?? []) {
            folded.insert(("--help-keys", keys, "Keys: the order in which their sources count"), at: 0)
        }
        parts.removeAll { part in folded.contains { isSection(part, $0.1) } }
        // The options follow the usage and the arguments, before the other sections.
        let place = parts.lastIndex { $0.hasPrefix("ARGUMENTS:") || $0.hasPrefix("USAGE:") } ?? parts.endIndex - 1
        if let own { parts.insert(own, at: place + 1) }
        if !folded.isEmpty {
            let width = folded.map(\.2.count).max() ?? 0
            let lines = folded.map { "  \($0.2.padded(to: width))  \($0.0)" }
            parts.append("SHARED OPTIONS:\n" + lines.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
    }

    /// Returns the paragraph OPTIONS of a command's help with the lines of a section, without its title, inserted before
    /// the options that every command has.
    private static func joined(_ options: String, _ section: String) -> String {
        var lines = options.split(separator: "\n")
        let place = lines.firstIndex { $0.hasPrefix("  --json ") || $0.hasPrefix("  --version ") } ?? lines.endIndex
        lines.insert(contentsOf: section.split(separator: "\n").dropFirst(), at: place)
        return lines.joined(separator: "\n")
    }

    /// Returns the paragraphs of a help text, each section with its options being one.
    private static func parts(_ help: String) -> [String] {
        var parts: [String] = []
        var current: [Substring] = []
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                if !current.isEmpty { parts.append(current.joined(separator: "\n")) }
                current = []
            } else {
                current.append(line)
            }
        }
        if !current.isEmpty { parts.append(current.joined(separator: "\n")) }
        return parts
    }

    private static func isSection(_ part: String, _ title: String) -> Bool {
        part.hasPrefix(title.uppercased() + ":\n")
    }

    /// Returns the order in which sources of a key count, for a command that opens a database or one that makes it.
    private static func order(opensDatabase: Bool) -> String {
        let sources =
            [
                "an option, such as --key-file",
                "SEALITE_KEY_FILE or SEALITE_PASSPHRASE_FILE, which contain a path",
                "sealite.key or sealite.passphrase in $CREDENTIALS_DIRECTORY,\n     which systemd sets",
                "key-file, passphrase-file or passphrase-command in the configuration\n     file (sealite help config)",
            ] + (opensDatabase ? ["the credential store"] : []) + ["the answer to a question on the terminal"]
        let lines = sources.enumerated().map { "  \($0.offset + 1). \($0.element)" }
        return (["The first of these that is given is the key:"] + lines).joined(separator: "\n")
    }
}
