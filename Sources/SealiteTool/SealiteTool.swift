// The command line. Thin: it parses, calls the library, prints.
//
// Start at `SealiteCommand` below. `Commands/` has a file per command, `Keys/` where secrets come from, `Terminal/Console.swift` the
// rules of the terminal, `Errors/ExitStatus.swift` the exit codes, `Process/` signals.

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
            Every command takes its key from --passphrase-file, --passphrase-fd, --key-file or --recovery-key-file; else \
            from $CREDENTIALS_DIRECTORY/sealite.key or sealite.passphrase; else from the credential store; else it asks.

            Exit codes: sealite help exit-codes.
            """,
        version: SealiteVersion.line,
        subcommands: [
            Create.self, Encrypt.self, Decrypt.self, SQL.self, Info.self, Verify.self, Key.self, Backup.self,
            Restore.self, Salvage.self, Header.self, Freshness.self, CredentialCommand.self, Login.self,
            Logout.self, Audit.self,
            Doc.self, CollectionCommand.self, QueryCommand.self, IndexCommand.self, MongoCommand.self,
            ModelCommand.self, Import.self, Export.self, BlobCommand.self, Changes.self,
            Sync.self, SyncStatus.self, Serve.self,
        ])

    static func main() {
        #if DEBUG || SEALITE_TESTS
            // Tests look into its memory, of a debug build or of the one that `make test` makes.
            let forbidsDumps = unsafe getenv("SEALITE_ALLOW_CORE_DUMPS") == nil
        #else
            let forbidsDumps = true
        #endif
        if forbidsDumps { CoreDumps.forbid() }
        Console.holdInputPlace()
        // Before anything of OpenSSL runs, or it is too late.
        _ = OpenSSLMemory.useProtectedHeap()
        Signals.takeOver()
        GLibLog.silence()
        // What the library logs, the commands say themselves.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        // Every file that is made here, SQLite's included, is its owner's alone.
        umask(0o077)
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["help", "exit-codes"] {
            Console.print(ExitStatus.table)
            do { try Console.requireWritten() } catch { report(error, wantsJSON: false) }
            return
        }
        run(arguments)
    }

    private static func run(_ arguments: [String]) {
        let wantsJSON = arguments.prefix { $0 != "--" }.contains("--json")
        do {
            try ArgumentRules.check(arguments)
            var command = try parseAsRoot(arguments)
            try command.run()
            try Console.requireWritten()
            // Not exit(3): what it cleans up, OpenSSL's tables among it, threads that still run may be using.
            _exit(ExitStatus.done.rawValue)
        } catch {
            finish(error, wantsJSON: wantsJSON)
        }
    }

    /// The parser's message, usage line included, in our form.
    private static func usageText(_ error: any Error) -> String {
        let text = fullMessage(for: error)
        return (text.hasPrefix("Error: ") ? "sealite: " + text.dropFirst(7) : text) + "\n"
    }

    private static func finish(_ error: any Error, wantsJSON: Bool) -> Never {
        let status = exitCode(for: error)
        guard status != .success else {
            // Help and version, which the parser throws.
            Console.write(fullMessage(for: error) + "\n")
            do { try Console.requireWritten() } catch { report(error, wantsJSON: wantsJSON) }
            _exit(ExitStatus.done.rawValue)
        }
        if let signal = error as? EndedBySignal { Signals.end(by: signal.number) }
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
    /// The words of every command that does something: `["key", "add"]`.
    static var leafCommands: [[String]] { leaves(of: SealiteCommand.self, []) }

    private static func leaves(of command: any ParsableCommand.Type, _ path: [String]) -> [[String]] {
        let below = command.configuration.subcommands
        return below.isEmpty ? [path] : below.flatMap { leaves(of: $0, path + [$0._commandName]) }
    }
}
