import CSQLite
import Glibc
import SealiteFile
import Synchronization

/// The refusal of plain copies of a sealed database in the `sqlite3` shell.
///
/// The shell's `.backup`, `.save` and `.clone` open their destination as a database of its own, by SQLite's default VFS,
/// and so write plain files. The extension sees each connection when it is opened. The shell has one open at a time, and
/// closes it before `.open` opens another: a second one beside an open sealed database is the destination of a copy, or
/// of `.connection`. In other programs a second, plain connection is nothing unusual, so that none is refused there.
enum PlainCopies {
    private static let isInShell = Atomic(false)
    private static let areAllowed = Atomic(false)

    /// Looks whether the host is the shell, by a connection of its: the shell registers functions of its own, whose
    /// names begin with `shell_`, on each.
    static func lookForShell(on connection: OpaquePointer) {
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        let text = "SELECT 1 FROM pragma_function_list WHERE name LIKE 'shell\\_%' ESCAPE '\\'"
        guard unsafe sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK,
            unsafe sqlite3_step(statement) == SQLITE_ROW
        else { return }
        isInShell.store(true, ordering: .relaxed)
    }

    /// Allows plain copies in the shell, or refuses them again.
    static func allow(_ isAllowed: Bool) { areAllowed.store(isAllowed, ordering: .relaxed) }

    /// Throws `refused` if a file is the destination of a plain copy. The shell only says that it can't open the file, so
    /// the reason goes to its terminal, too.
    static func refuse(_ file: ConnectionFile) throws(SealedFileError) {
        guard isInShell.load(ordering: .relaxed), !areAllowed.load(ordering: .relaxed),
            !file.isOpenSealed, file.isWritable, ConnectionFile.hasSealedFilesOpen
        else { return }
        let failure = SealedFileError(
            .refused, "\"\(file.path)\" would be a plain, unencrypted copy of the sealed database that is open",
            hint:
                "write a sealed one: .backup main file:COPY?vfs=sealite, or VACUUM INTO 'COPY'; SELECT sealite_allow_plain_copies(1) allows plain ones"
        )
        file.note(failure)
        let line = "sealite: \(worded(failure))\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
        throw failure
    }
}
