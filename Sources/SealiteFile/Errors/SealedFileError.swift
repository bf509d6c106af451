/// An error about a sealed file; codes are told apart by what the caller can do.
///
/// Two errors are equal when their codes are. No error carries a key, a passphrase or content of the database.
public struct SealedFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors, for programs.
    public enum Code: String, Sendable, CaseIterable, Codable {
        case notSealed = "not-sealed"
        case plainDatabase = "plain-database"
        case unsupportedVersion = "unsupported-version"
        case wrongKey = "wrong-key"
        case costRefused = "cost-refused"
        case damagedHeader = "damaged-header"
        case tamperedHeader = "tampered-header"
        case damagedPage = "damaged-page"
        case damagedFrame = "damaged-wal-frame"
        case damagedJournal = "damaged-journal"
        case foreignJournal = "foreign-journal"
        case integrity = "integrity-check-failed"
        case notUnlocked = "not-unlocked"
        case unauthenticatedSlot = "unauthenticated-slot"
        case unlockAgain = "unlock-again"
        case locked = "locked"
        case afterFork = "after-fork"
        case fileReplaced = "file-replaced"
        case refused = "refused"
        case busy = "busy"
        case rotationUnderWay = "rotation-under-way"
        case rolledBack = "rolled-back"
        case cancelled = "cancelled"
        case noSuchFile = "no-such-file"
        case exists = "exists"
        case permission = "permission"
        case diskFull = "disk-full"
        case inputOutput = "io-error"
        case statement = "statement-failed"
        case invalidArgument = "invalid-argument"
        case internalFailure = "internal-error"
    }

    /// The kind of error, for programs; the only part that counts in `==`.
    public let code: Code
    /// The action that failed, its object and the reason, for people.
    public let reason: String
    /// The next step, where there is one.
    public let hint: String?
    /// The database page, from 1, that the error is about.
    public let page: UInt32?

    package init(_ code: Code, _ reason: String, hint: String? = nil, page: UInt32? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.page = page
    }

    /// The reason, and the hint in brackets.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }

    /// Compares codes only.
    public static func == (left: SealedFileError, right: SealedFileError) -> Bool { left.code == right.code }
    /// Hashes the code only.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The same error with the file it is about in front of its reason.
    package func about(_ path: String) -> SealedFileError {
        reason.contains("\"\(path)\"")
            ? self : SealedFileError(code, "\"\(path)\": \(reason)", hint: hint, page: page)
    }
}

extension SealedFileError {
    static func notSealed(byteCount: Int) -> SealedFileError {
        SealedFileError(
            .notSealed,
            byteCount == 0
                ? "the file is empty, not a sealed database"
                : byteCount < 512
                    ? "the file has \(byteCount) bytes, too few for a database" : "the file isn't a sealed database",
            hint: "make one with 'sealite create', or seal a plain database with 'sealite encrypt'")
    }

    static func plainDatabase() -> SealedFileError {
        SealedFileError(
            .plainDatabase, "the file is a plain SQLite database, not sealed",
            hint: "seal it with 'sealite encrypt', or open it with 'vfs=unix'")
    }

    static func unsupportedVersion(_ what: String) -> SealedFileError {
        SealedFileError(
            .unsupportedVersion, "the file uses \(what), which this version of Sealite doesn't know",
            hint: "open it with a newer Sealite")
    }

    static func damagedHeader(_ what: String) -> SealedFileError {
        SealedFileError(
            .damagedHeader, "the header is damaged: \(what)",
            hint: "restore it with 'sealite header restore' or take the file from a backup")
    }

    package static func tamperedHeader(_ what: String) -> SealedFileError {
        SealedFileError(
            .tamperedHeader, "the header was changed by someone without the key: \(what)",
            hint: "restore it with 'sealite header restore', or decide for a copy with 'sealite header accept'")
    }

    package static func keysLocked(_ path: String) -> SealedFileError {
        SealedFileError(.locked, "\"\(path)\" was locked: its keys were wiped", hint: "unlock it again")
    }

    package static func fileReplaced(_ path: String) -> SealedFileError {
        SealedFileError(
            .fileReplaced, "\"\(path)\" was replaced, renamed or removed while it was open",
            hint: "close every connection and open it again")
    }
}
