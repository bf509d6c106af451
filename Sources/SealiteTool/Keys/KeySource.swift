import Foundation
import Glibc
import SealiteCrypto
import SealiteFile

/// A source of a secret that an option, the environment, systemd or the configuration file names.
struct KeySource {
    let kind: SlotKind
    /// The name in messages: the path in quotes, or the descriptor.
    let name: String
    private let place: Origin
    /// The setting (an environment variable or the configuration file) that names the path; nil if the command line
    /// names it.
    private var setting: String?

    private enum Origin {
        case file(SecretFile)
        case command(SecretCommand)
    }

    init(_ kind: SlotKind, _ path: String) {
        self.kind = kind
        name = "\"\(path)\""
        place = .file(Self.file(path))
    }

    /// Returns the file at a path, or the descriptor that the path names.
    static func file(_ path: String) -> SecretFile {
        descriptor(named: path).map(SecretFile.descriptor) ?? .path(path)
    }

    init(_ kind: SlotKind, descriptor: CInt) {
        self.kind = kind
        name = "descriptor \(descriptor)"
        place = .file(.descriptor(descriptor))
    }

    /// Creates the source of a passphrase that a shell command writes.
    init(command: String) {
        kind = .passphrase
        name = "the passphrase command"
        place = .command(SecretCommand(command: command))
    }

    /// Returns the credential that systemd passes to a service; nil if there is none. <https://systemd.io/CREDENTIALS>
    ///
    /// - Throws: an error if the presence of a credential can't be checked, because that doesn't mean that there is
    ///   none.
    static func ofSystemd() throws(ToolError) -> KeySource? {
        guard let folder = unsafe getenv("CREDENTIALS_DIRECTORY").map({ unsafe String(cString: $0) }), !folder.isEmpty
        else { return nil }
        for (name, kind) in [("sealite.key", SlotKind.rawKey), ("sealite.passphrase", .passphrase)] {
            let path = "\(folder)/\(name)"
            var status = stat()
            // A dangling link counts as present; reading it reports the error.
            if unsafe lstat(path, &status) == 0 { return KeySource(kind, path) }
            guard errno == ENOENT else {
                throw ToolError(SealedFileError(errno: errno, doing: "looking at", path))
            }
        }
        return nil
    }

    /// Returns the file descriptor that a path names: 0 for `-`, standard input, and that in a path such as
    /// `/dev/fd/3`, with which a shell's `<(command)` names a pipe; nil for any other path. Opening such a path uses
    /// /proc, which a process that forbids core dumps can't do for itself.
    /// Returns the source that the options name; nil if they name none.
    static func named(
        passphraseFile: String? = nil, passphraseFd: Int32? = nil, keyFile: String? = nil,
        recoveryKeyFile: String? = nil
    ) -> KeySource? {
        passphraseFile.map { KeySource(.passphrase, $0) }
            ?? passphraseFd.map { KeySource(.passphrase, descriptor: $0) }
            ?? keyFile.map { KeySource(.rawKey, $0) } ?? recoveryKeyFile.map { KeySource(.recovery, $0) }
    }

    /// Returns whether one of the options that name a descriptor and files names standard input.
    static func readsStandardInput(_ descriptor: Int32?, _ paths: String?...) -> Bool {
        descriptor == STDIN_FILENO || paths.contains { $0.flatMap(Self.descriptor) == STDIN_FILENO }
    }

    static func descriptor(named path: String) -> CInt? {
        if path == "-" || path == "/dev/stdin" { return STDIN_FILENO }
        for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
            return CInt(path.dropFirst(prefix.count))
        }
        return nil
    }

    /// Returns the source with the setting that names it: an environment variable, or the configuration file.
    func named(by setting: String) -> KeySource {
        var source = self
        source.setting = setting
        return source
    }

    /// Reads the secret as a key that opens a slot.
    func key() throws(ToolError) -> UnlockKey { try explained { () throws(SealedFileError) in try readKey() } }

    /// Reads the secret as the secret of a new slot.
    func newSecret(cost: Scrypt.Cost) throws(ToolError) -> NewSlotSecret {
        try explained { () throws(SealedFileError) in try readNewSecret(cost) }
    }

    /// Runs `read`; the error for a missing file is that of a lost secret, so that a script doesn't take it for a lost
    /// database.
    private func explained<Secret: ~Copyable>(
        _ read: () throws(SealedFileError) -> Secret
    ) throws(ToolError) -> Secret {
        do throws(SealedFileError) {
            return try read()
        } catch {
            guard error.code == .noSuchFile, case .file(.path(let path)) = place else { throw ToolError(error) }
            let folder = path.hasPrefix("/") ? nil : FileManager.default.currentDirectoryPath
            let reason =
                setting.map {
                    "\($0) names \(name), which doesn't exist\(folder.map { " in the current folder \"\($0)\"" } ?? "")"
                }
                ?? "there is no \(fileKind) \(name)"
            var lost = ToolError(.noInput, code: "no-such-secret", reason, hint: error.hint)
            lost.details = [("path", path.json)]
            throw lost
        }
    }

    /// The kind of file that holds the secret, in a message.
    private var fileKind: String {
        switch kind {
        case .passphrase: "passphrase file"
        case .rawKey: "key file"
        case .recovery: "recovery key file"
        }
    }

    private func readKey() throws(SealedFileError) -> UnlockKey {
        switch place {
        case .command(let command): .passphrase(try command.passphrase())
        case .file(let file):
            switch kind {
            case .passphrase: .passphrase(try file.passphrase())
            case .rawKey: .rawKey(try file.rawKey())
            case .recovery: .recoveryKey(try file.recoveryKey())
            }
        }
    }

    private func readNewSecret(_ cost: Scrypt.Cost) throws(SealedFileError) -> NewSlotSecret {
        switch place {
        case .command(let command): return .passphrase(try command.passphrase(), cost: cost)
        case .file(let file):
            switch kind {
            case .passphrase: return .passphrase(try file.passphrase(), cost: cost)
            case .rawKey: return .rawKey(try newRawKey(file))
            case .recovery: return .recovery(try file.recoveryKey())
            }
        }
    }

    /// Reads the key of a new slot; the error for a missing file names the command that creates one.
    private func newRawKey(_ file: SecretFile) throws(SealedFileError) -> SecretBytes {
        do throws(SealedFileError) {
            return try file.rawKey()
        } catch {
            guard error.code == .noSuchFile, case .path(let path) = file else { throw error }
            throw SealedFileError(
                .noSuchFile, "there is no key file \"\(path)\"",
                hint: "make one with 'sealite keygen -o \(path.shellArgument)'")
        }
    }
}

/// A shell command whose standard output is a passphrase.
struct SecretCommand {
    let command: String

    /// Runs the command and reads the passphrase directly into locked memory. The command has no standard input, and
    /// shares standard error.
    ///
    /// - Throws: an error if the command can't be run, fails, or writes no passphrase. It never contains the output.
    func passphrase() throws(SealedFileError) -> SecretBytes {
        let ends = try ProgramStart.pipeEnds()
        let child: pid_t
        do throws(SealedFileError) {
            child = try ProgramStart(program: "/bin/sh", words: ["sh", "-c", command], output: ends.writing).start()
        } catch {
            close(ends.reading)
            close(ends.writing)
            throw error
        }
        close(ends.writing)
        var found: SecretBytes?
        var failure: SealedFileError?
        do throws(SealedFileError) {
            found = try SecretFile.descriptor(ends.reading).passphrase()
        } catch {
            failure = error
        }
        // A command that writes more than a passphrase can have ends by SIGPIPE.
        close(ends.reading)
        var status: CInt = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 || failure != nil && Self.isBrokenPipe(status) else {
            throw SealedFileError(
                .invalidArgument, "the shell command that writes the passphrase \(ProgramStart.end(status))",
                hint: "run it in a shell to see why; --passphrase-command or the configuration file names it")
        }
        guard let secret = found.take() else {
            let reason = failure?.reason.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "no output"
            throw SealedFileError(
                .invalidArgument, "the output of the shell command that writes the passphrase can't be used: \(reason)")
        }
        return secret
    }

    /// Returns whether the command, or the shell because of the command, ended because its output was no longer read: it
    /// wrote more than a passphrase can have.
    private static func isBrokenPipe(_ status: CInt) -> Bool {
        status & 0x7F == SIGPIPE || status >> 8 & 0xFF == 128 + SIGPIPE
    }
}
