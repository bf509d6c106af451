import CEditLine
import Glibc
import SealiteFile

/// A program to be started as a child of this process, with the signals that this process blocks or ignores restored.
struct ProgramStart {
    /// The program: a path, or a name that is looked for in the folders of PATH.
    let program: String
    /// The arguments, the program's own name first.
    let words: [String]
    /// The descriptor that becomes standard input; nil for an empty one.
    var input: CInt?
    /// The descriptor that becomes standard output. Standard error is shared.
    let output: CInt
    /// A Boolean value that says whether the program gets nothing that concerns keys and databases: no descriptors but
    /// those of its standard streams, and no variables whose names begin with `SEALITE_`. It then also has a process
    /// group of its own, whose number is that of the process.
    var isIsolated = false

    /// Starts the program.
    ///
    /// - Returns: the number of the process, for which the caller has to wait.
    func start() throws(SealedFileError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if isIsolated { unsafe sealite_add_close_from(&actions, STDERR_FILENO + 1) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let group = isIsolated ? POSIX_SPAWN_SETPGROUP : 0
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(Int(POSIX_SPAWN_SETSIGMASK) | Int(POSIX_SPAWN_SETSIGDEF) | Int(group)))
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe []
        for word in words { unsafe arguments.append(strdup(word)) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.withUnsafeBufferPointer { for index in $0.indices { unsafe free($0[index]) } } }
        let variables = unsafe self.variables
        var child = pid_t()
        let code = unsafe posix_spawnp(&child, program, &actions, &attributes, arguments, variables)
        guard code == 0 else { throw SealedFileError(errno: code, doing: "running", program) }
        return child
    }

    /// The beginning of the names of variables that say where keys are.
    private static let keyVariables = "SEALITE_"

    /// This process's variables that the program gets, with nil after the last.
    private var variables: [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            let isHidden =
                unsafe isIsolated && strncmp(variable, Self.keyVariables, Self.keyVariables.utf8.count) == 0
            if !isHidden { unsafe variables.append(variable) }
            unsafe next = next.advanced(by: 1)
        }
        unsafe variables.append(nil)
        return unsafe variables
    }

    /// Returns how a program with this status of waitpid(2) ended, as a clause without its subject.
    static func end(_ status: CInt) -> String {
        status & 0x7F == 0 ? "ended with exit code \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
    }

    /// Returns the ends of a pipe, for reading and for writing, which no program inherits that this process starts.
    static func pipeEnds() throws(SealedFileError) -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [-1, -1]
        // Swift's Glibc module has no pipe2. No other thread of the tool starts a process meanwhile.
        guard unsafe pipe(&ends) == 0 else { throw SealedFileError(errno: errno, doing: "making", "a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
