// The command line: it parses arguments, calls the library and prints results.
//
// Start at `SealiteCommand` below. `Commands/` has a folder for each of its groups of commands, with a file for each
// command; `Keys/` has the sources of secrets, the credential store among them, `Terminal/Console.swift` the rules of the
// terminal, `Errors/ExitStatus.swift` the exit codes, `Process/` the handling of signals, and `Plain/` what reads most command lines
// without the parser.

import ArgumentParser
import Glibc
import Logging
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile

@main
struct SealiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sealite",
        abstract: "Encrypted SQLite and document databases, their keys and credentials, and their sync.",
        usage: "sealite <command> [<options>]",
        discussion: """
            First steps:
              sealite keygen -o notes.key
              sealite create notes.db -k notes.key
              sealite doc put notes.db '{"text": "hello"}' -k notes.key

            Short options mean the same in every command: -k key file, -p passphrase file, -o output, -q quiet, -v verbose, \
            -n dry run. Environment variables (SEALITE_KEY_FILE, SEALITE_PASSPHRASE_FILE, SEALITE_STORE) and a configuration \
            file can take the place of options.

            See 'sealite help config' for the variables and the file, and 'sealite help exit-codes' for the exit codes.
            """,
        version: SealiteVersion.line,
        groupedSubcommands: [
            CommandGroup(
                name: "File",
                subcommands: [
                    Create.self, SQL.self, Info.self, Encrypt.self, Decrypt.self, Backup.self, Restore.self,
                    Compact.self, Upgrade.self,
                ]),
            CommandGroup(name: "Key", subcommands: [Keygen.self, Key.self, Freshness.self]),
            CommandGroup(
                name: "Document",
                subcommands: [
                    Doc.self, CollectionCommand.self, QueryCommand.self, IndexCommand.self, MongoCommand.self,
                    ModelCommand.self, Import.self, Export.self, BlobCommand.self, Changes.self,
                ]),
            CommandGroup(name: "Sync", subcommands: [Sync.self, SyncStatus.self, Serve.self]),
            CommandGroup(name: "Credential", subcommands: [CredentialCommand.self, Login.self, Logout.self]),
            CommandGroup(name: "Rescue", subcommands: [Verify.self, Salvage.self, Header.self, Audit.self]),
        ])

    static func main() {
        #if DEBUG || SEALITE_TESTS
            // Tests examine the process's memory, in a debug build or in the build of `make test`.
            let forbidsDumps = unsafe getenv("SEALITE_ALLOW_CORE_DUMPS") == nil
        #else
            let forbidsDumps = true
        #endif
        if forbidsDumps { CoreDumps.forbid() }
        Console.holdInputPlace()
        // This must happen before any OpenSSL function runs.
        _ = OpenSSLMemory.useProtectedHeap()
        Signals.takeOver()
        GLibLog.silence()
        LoggingSystem.bootstrap(ToolLog.init(label:))
        RemedyWording.use(RemedyWording.commands)
        // Every file that the process creates, SQLite's included, is accessible only to its owner.
        umask(0o077)
        // The Swift runtime reads them in /proc, and finds none, not even the program's name, where that isn't mounted.
        guard !CommandLine.arguments.isEmpty else {
            let failure = ToolError(
                .unavailable, code: "no-proc", "the command line can't be read, because /proc isn't mounted",
                hint: "mount it: mount -t proc proc /proc")
            report(failure, wantsJSON: false)
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments {
        case ["help", "exit-codes"]: show(ExitStatus.table)
        case ["help", "config"]: show(Settings.help)
        case ["--version"]: show(VersionLines.text)
        default: run(arguments)
        }
    }

    private static func show(_ page: String) {
        Console.print(page)
        do { try Console.requireWritten() } catch { report(error, wantsJSON: false) }
    }

    private static func run(_ arguments: [String]) {
        let wantsJSON = arguments.prefix { $0 != "--" }.contains("--json")
        do {
            if var command = PlainCommands.command(arguments) {
                try command.run()
            } else {
                try ArgumentRules.check(arguments)
                try CommandNames.check(arguments, below: SealiteCommand.self)
                if let title = HelpSections.requested(arguments) { return try showSection(title, arguments) }
                var command = try parseAsRoot(arguments)
                try command.run()
            }
            try Console.requireWritten()
            // Not exit(3), which frees data such as OpenSSL's tables that running threads may be using.
            _exit(ExitStatus.done.rawValue)
        } catch {
            finish(error, wantsJSON: wantsJSON)
        }
    }

    /// Writes one section of a command's help, with the options of one kind. Throws an error if the command has none of
    /// them.
    private static func showSection(_ title: String, _ arguments: [String]) throws {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        do {
            var help = try parseAsRoot(words + ["--help"])
            try help.run()
        } catch  where exitCode(for: error) == .success {
            guard let section = HelpSections.section(title, of: fullMessage(for: error)) else {
                let command = (["sealite"] + words).joined(separator: " ")
                throw ToolError.usage(
                    "'\(command)' has no options \(title == HelpSections.keys ? "for keys" : "for the credential store")",
                    hint: words.isEmpty
                        ? "name a command, such as 'sealite info \(title == HelpSections.keys ? "--help-keys" : "--help-store")'"
                        : "see '\(command) --help'")
            }
            Console.write(section)
            try Console.requireWritten()
            _exit(ExitStatus.done.rawValue)
        }
    }

    /// Returns the parser's message, with the usage line, in the tool's form. Arguments that it quotes can't control a
    /// terminal.
    private static func usageText(_ error: any Error) -> String {
        let text = fullMessage(for: error).withoutControlsInLines
        return (text.hasPrefix("Error: ") ? "sealite: " + text.dropFirst(7) : text) + "\n"
    }

    private static func finish(_ error: any Error, wantsJSON: Bool) -> Never {
        let status = exitCode(for: error)
        guard status != .success else {
            // Help and the version are errors of the parser.
            Console.write(HelpSections.folded(fullMessage(for: error)) + "\n")
            do { try Console.requireWritten() } catch { report(error, wantsJSON: wantsJSON) }
            _exit(ExitStatus.done.rawValue)
        }
        if let signal = error as? EndedBySignal {
            if let note = signal.note(json: wantsJSON) { Console.note(note) }
            Signals.end(by: signal.number)
        }
        let isOurs =
            error is ToolError || error is SealedFileError || error is CredentialError || error is IdentityError
            || error is DatabaseError || error is AuthenticationError
        if let code = error as? ExitCode { _exit(code.rawValue) }
        if status == .validationFailure, !isOurs {
            let failure = ToolError.usage(message(for: error))
            Console.note(wantsJSON ? failure.json.encoded + "\n" : usageText(error))
            _exit(failure.status.rawValue)
        }
        report(ToolError(any: error), wantsJSON: wantsJSON)
    }

    private static func report(_ failure: ToolError, wantsJSON: Bool) -> Never {
        Console.note(wantsJSON ? failure.json.encoded + "\n" : failure.text)
        _exit(failure.status.rawValue)
    }
}

extension SealiteCommand {
    /// The words of every command without subcommands: `["key", "add"]`.
    static var leafCommands: [[String]] { CommandNames.leaves(of: SealiteCommand.self) }
}
