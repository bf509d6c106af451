internal import SealiteBase
internal import SealiteFile

extension CredentialError {
    /// Creates the error of a vault for an error of its sealed file.
    init(vault error: SealedFileError) {
        let code: Code
        var hint = error.hint
        switch error.code {
        case .wrongKey, .notUnlocked: code = .wrongPassphrase
        case .locked, .unlockAgain: code = .locked
        case .damagedHeader, .tamperedHeader, .damagedPage, .damagedFrame, .damagedJournal, .foreignJournal, .integrity,
            .notSealed, .notAFile, .plainDatabase, .statement, .invalidStatement, .costRefused, .rolledBack:
            code = .damaged
        case .unsupportedVersion: code = .unsupportedVersion
        case .busy, .rotationUnderWay: code = .timedOut
        case .noSuchFile:
            code = .noVault
            hint = hint ?? CredentialRemedy.makeVault.hint
        case .exists: code = .exists
        case .permission: code = .permission
        case .diskFull: code = .diskFull
        case .cancelled: code = .cancelled
        case .invalidArgument, .refused: code = .invalidArgument
        case .inputOutput, .fileReplaced, .afterFork, .internalFailure: code = .providerFailed
        }
        self.init(code, error.reason, hint: hint)
    }
}
