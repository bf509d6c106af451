import Glibc
import SealiteCrypto
import SealiteFile

/// A shell command whose standard output is a passphrase.
struct SecretCommand {
    let command: String

    /// Runs the command and reads the passphrase directly into locked memory. The command has no standard input, and
    /// shares standard error.
    ///
    /// - Throws: an error if the command can't be run, fails, or writes no passphrase. It never contains the output.
    func passphrase() throws(SealedFileError) -> SecretBytes {
        var ends: [CInt] = [-1, -1]
        // Swift's Glibc module has no pipe2. No other thread of the tool starts a process meanwhile.
        guard unsafe pipe(&ends) == 0 else { throw SealedFileError(errno: errno, doing: "running", "/bin/sh") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do throws(SealedFileError) {
            child = try start(writingTo: ends[1])
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        close(ends[1])
        var found: SecretBytes?
        var failure: SealedFileError?
        do throws(SealedFileError) {
            found = try SecretFile.descriptor(ends[0]).passphrase()
        } catch {
            failure = error
        }
        // A command that writes more than a passphrase can have ends by SIGPIPE.
        close(ends[0])
        var status: CInt = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 || failure != nil && Self.isBrokenPipe(status) else {
            throw SealedFileError(
                .invalidArgument, "the shell command that writes the passphrase \(Self.end(status))",
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

    /// Returns how a command ended that failed, as a clause without its subject.
    private static func end(_ status: CInt) -> String {
        status & 0x7F == 0 ? "ended with exit code \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
    }

    /// Starts the shell with the signals that this process blocks or ignores restored.
    private func start(writingTo output: CInt) throws(SealedFileError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = unsafe []
        for word in ["sh", "-c", command] { unsafe words.append(strdup(word)) }
        unsafe words.append(nil)
        defer { unsafe words.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } } }
        var child = pid_t()
        let code = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ)
        guard code == 0 else { throw SealedFileError(errno: code, doing: "running", "/bin/sh") }
        return child
    }
}
