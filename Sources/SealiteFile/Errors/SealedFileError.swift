public import SealiteBase

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
