import SealiteFile

/// The exit codes of the command line: classes of failure for scripts. The `code` of `--json` is more specific.
///
/// The statuses from 64 to 78 have the meaning of sysexits.h(3head), and all others a meaning of this tool.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case failed = 1
    case usage = 64
    case damaged = 65
    case noInput = 66
    case noHost = 68
    case unavailable = 69
    case internalError = 70
    case exists = 73
    case inputOutput = 74
    case tryAgain = 75
    case protocolFailed = 76
    case wrongKey = 77
    case permission = 78
    case rolledBack = 79
    case notSealed = 80

    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "it ran, but a statement, document or replication failed"
        case .usage:
            "usage: the command line, or its input (JSON, CSV, a query, a schema, a secret's file), isn't as it has to be"
        case .damaged: "damaged or tampered"
        case .noInput: "no such file, document or credential"
        case .noHost: "no such host"
        case .unavailable: "service not available (store, server, network)"
        case .internalError: "internal error, or a known-answer test failed"
        case .exists: "the file to be made exists"
        case .inputOutput: "I/O error, disk full"
        case .tryAgain: "busy, rotation under way, timed out: try again"
        case .protocolFailed: "the other side of a sync isn't trusted, or broke the protocol"
        case .notSealed: "not a sealed database, a plain one, or an unsupported version"
        case .wrongKey: "wrong key, or credentials rejected"
        case .permission: "permission of a file or folder, or a configuration file that isn't right"
        case .rolledBack: "rolled back: older than what was seen before"
        }
    }

    /// The table for `sealite help exit-codes`.
    static var table: String {
        let rows = allCases.map { "\(String($0.rawValue).padded(to: 7, right: false))  \($0.meaning)" }
        return (rows + ["128 + n  ended by signal n"]).joined(separator: "\n")
    }

    /// Creates the exit status for an error of a sealed file.
    init(_ code: SealedFileError.Code) {
        switch code {
        case .notSealed, .plainDatabase, .unsupportedVersion: self = .notSealed
        case .wrongKey, .notUnlocked, .unlockAgain: self = .wrongKey
        case .damagedHeader, .tamperedHeader, .damagedPage, .damagedFrame, .damagedJournal, .foreignJournal,
            .integrity, .costRefused:
            self = .damaged
        case .busy, .rotationUnderWay: self = .tryAgain
        case .rolledBack: self = .rolledBack
        case .noSuchFile, .notAFile: self = .noInput
        case .exists: self = .exists
        case .permission: self = .permission
        case .diskFull, .inputOutput, .fileReplaced: self = .inputOutput
        case .statement, .cancelled: self = .failed
        case .invalidArgument, .invalidStatement, .refused: self = .usage
        case .locked, .afterFork, .internalFailure: self = .internalError
        }
    }
}
