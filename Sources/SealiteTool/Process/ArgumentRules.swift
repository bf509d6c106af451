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
