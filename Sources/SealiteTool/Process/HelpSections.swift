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

    /// Returns one section of a command's help; nil if the command has no such options.
    static func section(_ title: String, of help: String) -> String? {
        guard let found = parts(help).first(where: { isSection($0, title) }) else { return nil }
        return (title == keys ? found + "\n\n" + order : found) + "\n"
    }

    /// Returns a command's help with its own options first, and the shared ones named in one line for each section.
    static func folded(_ help: String) -> String {
        var parts = parts(help)
        guard parts.contains(where: { $0.hasPrefix("USAGE:") }) else { return help }
        let own = parts.firstIndex { $0.hasPrefix("OPTIONS:") }.map { parts.remove(at: $0) }
        let folded = shown.filter { one in parts.contains { isSection($0, one.title) } }
        parts.removeAll { part in folded.contains { isSection(part, $0.title) } }
        // The options follow the usage and the arguments, before the other sections.
        let place = parts.lastIndex { $0.hasPrefix("ARGUMENTS:") || $0.hasPrefix("USAGE:") } ?? parts.endIndex - 1
        if let own { parts.insert(own, at: place + 1) }
        if !folded.isEmpty {
            let width = folded.map(\.line.count).max() ?? 0
            let lines = folded.map { "  \($0.line.padded(to: width))  \($0.option)" }
            parts.append("SHARED OPTIONS:\n" + lines.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
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

    /// The text on the order in which sources of a key are searched.
    private static let order = """
        The first of these is the key:
          1. an option of this list
          2. SEALITE_KEY_FILE or SEALITE_PASSPHRASE_FILE, which contain a path
          3. sealite.key or sealite.passphrase in $CREDENTIALS_DIRECTORY, which systemd sets
          4. key-file, passphrase-file or passphrase-command in $XDG_CONFIG_HOME/sealite/config
          5. the credential store
          6. the answer to a question on the terminal
        """
}
