import CSQLite
import Glibc
public import SealiteBase
package import SealiteCrypto

/// An error of a sealed file. Codes differ where the caller's possible reactions differ.
///
/// Two errors are equal when their codes are. No error carries a key, a passphrase or content of the database.
public struct SealedFileError: SealiteError, Sendable, Hashable {
    /// The kinds of errors, for programs.
    public enum Code: String, Sendable, CaseIterable, Codable {
        /// The file is neither a sealed database nor a plain SQLite database: it is empty, is another kind of file, or
        /// has lost both copies of its header.
        case notSealed = "not-sealed"
        /// The file is a plain SQLite database.
        case plainDatabase = "plain-database"
        /// A later version of Sealite wrote the file or its freshness record; or a build from before the first release
        /// did, in a format that was removed since.
        case unsupportedVersion = "unsupported-version"
        /// No key slot accepts the secret.
        case wrongKey = "wrong-key"
        /// Deriving the key of a slot or of a new passphrase would exceed the limits on memory or work.
        case costRefused = "cost-refused"
        /// No header copy can be used: both are damaged, or they contradict each other. In a verification's findings:
        /// one copy is damaged or outdated. Also thrown for an invalid setting of the credential store.
        case damagedHeader = "damaged-header"
        /// A header copy or key slot was altered without the key.
        case tamperedHeader = "tampered-header"
        /// A page isn't authentic: it was altered, is torn, or the disk returned wrong data.
        case damagedPage = "damaged-page"
        /// A frame of the write-ahead log isn't authentic.
        case damagedFrame = "damaged-wal-frame"
        /// A unit (an encrypted block) of a hot rollback journal is missing or isn't authentic.
        case damagedJournal = "damaged-journal"
        /// A rollback journal is stale: it doesn't belong to the database's last transaction.
        case foreignJournal = "foreign-journal"
        /// The content isn't consistent, or a copy differs from its source.
        case integrity = "integrity-check-failed"
        /// The file is sealed and no handle in this process has its keys.
        case notUnlocked = "not-unlocked"
        /// The keys were rotated and this handle couldn't derive the new keys; call
        /// ``SealedDatabase/unlockAgain(key:limits:)``.
        case unlockAgain = "unlock-again"
        /// The handle's keys were wiped by `lock()`.
        case locked = "locked"
        /// The connection was opened before fork() and is used in the child process.
        case afterFork = "after-fork"
        /// The file was replaced, renamed or removed while it was open.
        case fileReplaced = "file-replaced"
        /// The request is valid but can't be carried out on this file; the reason says why.
        case refused = "refused"
        /// Another connection held a lock for longer than the timeout.
        case busy = "busy"
        /// Another connection or process is rotating the keys.
        case rotationUnderWay = "rotation-under-way"
        /// The file is older than its freshness record, a note of its last known state that is kept elsewhere, or than
        /// the header read before; or it is another file.
        case rolledBack = "rolled-back"
        /// A progress handler cancelled the work.
        case cancelled = "cancelled"
        /// The file or folder doesn't exist.
        case noSuchFile = "no-such-file"
        /// The path is that of a folder, pipe, socket or device.
        case notAFile = "not-a-file"
        /// A file to be created exists already.
        case exists = "exists"
        /// The file system refuses access, or the mode of a secret's file is too open.
        case permission = "permission"
        /// The disk or the quota is full.
        case diskFull = "disk-full"
        /// The system failed to read, write or sync.
        case inputOutput = "io-error"
        /// A text isn't valid SQL, or names a table, column or function that doesn't exist; the reason is SQLite's.
        case invalidStatement = "invalid-statement"
        /// SQLite refused a statement; the reason is SQLite's.
        case statement = "statement-failed"
        /// An argument is invalid, such as a page size or a passphrase of the wrong length.
        case invalidArgument = "invalid-argument"
        /// OpenSSL, SQLite or the system failed unexpectedly.
        case internalFailure = "internal-error"
    }

    /// The kind of error, for programs; the only part that counts in `==`.
    public let code: Code
    /// The failed action, its object and the reason, for people.
    public let reason: String
    /// The reason, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }
    /// The raw value of ``code``, under the name that every `SealiteError` has.
    public var identifier: String { code.rawValue }
    /// A Boolean value that says whether the same call may succeed later: once another connection or process has
    /// released its lock or ended its rotation, or when there is room on the disk.
    public var isTransient: Bool { [.busy, .rotationUnderWay, .diskFull].contains(code) }
    /// The next step to take, if one is known.
    public let hint: String?
    /// The number, counted from 1, of the database page that the error concerns; nil if it concerns no single page.
    public let page: UInt32?

    package init(_ code: Code, _ reason: String, hint: String? = nil, page: UInt32? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.page = page
    }

    /// Returns whether two errors have the same code.
    public static func == (left: SealedFileError, right: SealedFileError) -> Bool { left.code == right.code }
    /// Hashes the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// Returns this error with the path of the file in front of its reason, unless the reason contains the path
    /// already.
    package func about(_ path: String) -> SealedFileError {
        reason.contains("\"\(path)\"")
            ? self : SealedFileError(code, "\"\(path)\": \(reason)", hint: hint, page: page)
    }
}

extension SealedFileError {
    /// Returns the error for a file in which no header was found. A database that lost both copies of its header can't
    /// be distinguished from a file of another kind, so the error names both possibilities.
    static func notSealed(byteCount: Int) -> SealedFileError {
        SealedFileError(
            .notSealed,
            byteCount == 0
                ? "the file is empty, not a sealed database"
                : byteCount < 512
                    ? "the file has \(byteCount) bytes, too few for a database"
                    : "the file isn't a sealed database, or both copies of its header are destroyed",
            hint: FileRemedy.restoreLostHeader.hint)
    }

    static func plainDatabase() -> SealedFileError {
        SealedFileError(
            .plainDatabase, "the file is a plain SQLite database, not sealed",
            hint: FileRemedy.sealPlain.hint)
    }

    package static func unsupportedVersion(_ what: String) -> SealedFileError {
        SealedFileError(
            .unsupportedVersion, "the file uses \(what), which this version of Sealite doesn't know",
            hint: "open it with a newer Sealite")
    }

    /// Returns the error for a file in a format that was removed before the first release: only the build that wrote
    /// the file reads it.
    package static func removedFormat(_ what: String) -> SealedFileError {
        SealedFileError(
            .unsupportedVersion, "the file has \(what), which was removed before the first release",
            hint: FileRemedy.exportByOldBuild.hint)
    }

    static func damagedHeader(_ what: String) -> SealedFileError {
        SealedFileError(
            .damagedHeader, "the header is damaged: \(what)",
            hint: FileRemedy.restoreHeader.hint)
    }

    package static func tamperedHeader(_ what: String) -> SealedFileError {
        SealedFileError(
            .tamperedHeader, "the header was changed by someone without the key: \(what)",
            hint: FileRemedy.restoreOrAcceptHeader.hint)
    }

    package static func keysLocked(_ path: String) -> SealedFileError {
        SealedFileError(
            .locked, "\"\(path)\" was locked: its keys were wiped from memory", hint: "open it again with its key")
    }

    package static func fileReplaced(_ path: String) -> SealedFileError {
        SealedFileError(
            .fileReplaced, "\"\(path)\" was replaced, renamed or removed while it was open",
            hint: "close every connection and open it again")
    }

    static func divergedCopy(_ path: String) -> SealedFileError {
        SealedFileError(
            .fileReplaced,
            "the header of \"\(path)\" was replaced by that of another copy of the database: both have the same generation, with different content",
            hint: "close every connection, and open each copy by a handle or an unlocking of its own")
    }
}

extension SealedFileError {
    /// Creates the error for a failed system call on a file. `what` is the action in progress, such as "writing".
    package init(errno number: CInt, doing what: String, _ path: String) {
        let text = unsafe String(cString: strerror(number))
        let code: Code
        switch number {
        case EEXIST: code = .exists
        case ENOENT: code = .noSuchFile
        case EACCES, EPERM, EROFS: code = .permission
        case ENOSPC, EDQUOT: code = .diskFull
        default: code = .inputOutput
        }
        self.init(code, "\(what) \"\(path)\" failed: \(text)")
    }

    /// Creates the error for an SQLite result code for which the encrypting VFS recorded no reason. `message` is
    /// SQLite's own; nil for its general text for the code. https://sqlite.org/rescode.html
    package init(sqlite code: CInt, message: String? = nil, doing what: String) {
        let text = unsafe message ?? String(cString: sqlite3_errstr(code))
        let kind: Code
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: kind = .busy
        case SQLITE_FULL: kind = .diskFull
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: kind = .permission
        case SQLITE_CORRUPT: kind = .integrity
        case SQLITE_NOTADB: kind = .notSealed
        case SQLITE_IOERR, SQLITE_CANTOPEN: kind = .inputOutput
        case SQLITE_MISUSE, SQLITE_NOMEM, SQLITE_INTERNAL: kind = .internalFailure
        default: kind = .statement
        }
        let hint = kind == .busy ? FileRemedy.waitForLock.hint : nil
        self.init(kind, "\(what): \(text) (SQLite code \(code))", hint: hint)
    }
}

extension SealedFileError {
    /// Creates the error for a failure of the cryptographic module. A refused cost is taken for that of a new
    /// passphrase: `UnlockBudget` checks the costs of existing slots before they are tried.
    package init(crypto error: CryptoError) {
        switch error.code {
        case .authenticationFailed:
            self = .tamperedHeader("an encrypted key in it failed authentication")
        case .costRefused:
            self = SealedFileError(.costRefused, error.reason, hint: "choose a cost within the limits")
        default:
            self = SealedFileError(.internalFailure, error.reason)
        }
    }

    /// Runs a cryptographic operation, and converts the error that it throws to a `SealedFileError`.
    package static func mappingCrypto<R: ~Copyable>(_ body: () throws(CryptoError) -> R) throws(SealedFileError) -> R {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw SealedFileError(crypto: error)
        }
    }
}

extension SealedFileError {
    /// Returns the error for a statement that SQLite refused with a message such as "no such function: body_key", if it
    /// misses one of the SQL functions, the table or the tokenizer of documents, and this program doesn't have them; nil
    /// for every other message.
    ///
    /// The statement itself needn't name what is missing: SQLite calls the functions of an index or a trigger too, when
    /// the table is written or checked. It doesn't write the row then, so the index stays sound.
    static func missingFunctions(_ message: String) -> SealedFileError? {
        guard sealite_has_hook() == 0, let missing = missingName(message) else { return nil }
        return SealedFileError(
            .refused,
            """
            the statement, or an index or a trigger of its table, needs \(missing), one of the SQL functions of \
            documents, which this program doesn't have
            """,
            hint: "link SealiteDatabase into the program, or use one that has loaded libsealitevfs.so")
    }

    /// Returns the name that SQLite didn't find according to one of its messages, if `SealiteFunctions` defines names
    /// like it.
    static func missingName(_ message: String) -> String? {
        let kinds = ["no such function: ", "unknown function: ", "no such table: ", "no such tokenizer: "]
        guard let kind = kinds.first(where: message.hasPrefix) else { return nil }
        var name = message.dropFirst(kind.count)
        if name.hasPrefix("main.") { name = name.dropFirst("main.".count) }
        if name.hasSuffix("()") { name = name.dropLast(2) }
        let isOurs =
            switch kind {
            case "no such tokenizer: ": name == "sealite"
            case "no such table: ": name == "query_each"
            default:
                ["mongo_entries", "mongo_cells"].contains(name) || ["body_", "query_"].contains(where: name.hasPrefix)
            }
        return isOurs ? String(name) : nil
    }
}
