import ArgumentParser
import SealiteAuthentication
import SealiteBase
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteModel
import SealiteMongo
import SealiteReplicator
import SealiteValues

/// An error of the command line: a sentence and a hint for people, a code and an exit code for scripts.
struct ToolError: Error {
    let status: ExitStatus
    /// The kind of the error, which is more specific than the exit code: `wrong-key`, `no-such-file`.
    let code: String
    let message: String
    var hint: String?
    var page: UInt32?
    /// Lines below the message, for people; `details` contains the same facts for scripts.
    var remarks: [String] = []
    /// Additional members for `--json`.
    var details: [(String, JSONValue)] = []

    init(_ status: ExitStatus, code: String, _ message: String, hint: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
    }

    init(_ status: ExitStatus, _ error: some SealiteError) {
        self.init(status, code: error.identifier, error.reason, hint: error.hint)
    }

    init(_ error: SealedFileError) {
        self.init(ExitStatus(error.code), error)
        page = error.page
    }

    /// Returns the error with another message, and without its remarks and details.
    func saying(_ message: String) -> ToolError {
        var error = ToolError(status, code: code, message, hint: hint)
        error.page = page
        return error
    }

    static func usage(_ message: String, hint: String? = nil) -> ToolError {
        ToolError(.usage, code: "usage", message, hint: hint)
    }

    /// Creates an error for an error of any kind.
    init(any error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as SealedFileError: self.init(error)
        case let error as CredentialError: self.init(ExitStatus(error.code), error)
        case let error as IdentityError: self.init(ExitStatus(error.code), error)
        case let error as DatabaseError: self.init(error)
        case let error as MongoError: self.init(error)
        case let error as BulkWriteError: self.init(error)
        case let error as SchemaError: self.init(error)
        case let error as SchemaIssues: self = .invalidSchema(error.issues)
        case let error as AuthenticationError: self.init(error)
        case let error as ReplicatorError: self.init(error)
        default: self.init(.internalError, code: "internal-error", "\(error)")
        }
    }

    /// The error as the JSON object that is written to standard error with `--json`.
    var json: JSONValue {
        .object(
            [
                ("code", code.json), ("message", message.json), ("hint", hint.json), ("page", page.json),
                ("exitCode", status.rawValue.json),
            ] + details)
    }

    /// The lines for people. They may contain text from files, servers and providers of the Secret Service.
    var text: String {
        "sealite: \(message.withoutControls)\n" + remarks.map { "  \($0.withoutControls)\n" }.joined()
            + (hint.map { "hint: \($0.withoutControls)\n" } ?? "")
    }
}

extension ToolError {
    /// Creates an error for a schema, or for documents that don't conform to one.
    init(_ error: SchemaError) {
        switch error {
        case .unfit(let type, let violations):
            self.init(
                .failed, code: "unfit-document",
                "the document doesn't fit the schema of \"\(type)\": "
                    + violations.map(\.description).joined(separator: ", "))
            details = [("type", type.json), ("violations", violations.json)]
        case .damagedSchema: self.init(.damaged, code: "damaged-schema", Self.line(error))
        case .unknownType: self.init(.noInput, code: "no-such-type", Self.line(error))
        case .migrationRequired(let changes), .additiveOnly(let changes), .readOnlyMismatch(let changes):
            let isLocal = if case .migrationRequired = error { true } else { false }
            self.init(
                .failed, code: "migration-required", Self.line(error),
                hint: isLocal
                    ? "'sealite model migrate' makes the changes that need no function, with --rename for renamed properties; other changes need an application's migration function"
                    : nil)
            details = [("changes", changes.map(\.description).json)]
        case .missingDefault:
            self.init(
                .failed, code: "migration-failed", Self.line(error),
                hint: "give these properties a \"default\" in the schema, or add the missing values to the documents")
        case .invalidSchema, .embeddedType: self.init(.usage, code: "invalid-schema", Self.line(error))
        default: self.init(.failed, code: "migration-failed", Self.line(error))
        }
    }

    /// Returns an error for the issues of schemas from files.
    ///
    /// - Parameters:
    ///   - issues: the issues, warnings included.
    ///   - file: returns the file of an issue; nil if it isn't known.
    /// - Returns: the error.
    static func invalidSchema(_ issues: [SchemaIssue], in file: (SchemaIssue) -> String? = { _ in nil }) -> ToolError {
        let lines = issues.map { issue in
            let weight = issue.severity == .warning ? "warning: " : ""
            return weight + (file(issue).map { "\($0): " } ?? "") + issue.message
        }
        let isOne = lines.count == 1
        let count = issues.count { $0.severity == .error }
        var error = ToolError(
            .usage, code: "invalid-schema",
            isOne ? lines[0] : "\(count) error\(count == 1 ? "" : "s") in the schemas of documents",
            hint: "the schemas are JSON Schema in the dialect of Atlas App Services: Documentation/Models.md, section 6"
        )
        if !isOne { error.remarks = lines }
        let objects = issues.map { issue -> JSONValue in
            [
                "kind": issue.kind.rawValue, "severity": issue.severity.rawValue, "title": issue.title,
                "path": issue.path, "reason": issue.reason,
            ]
        }
        error.details = [("issues", objects.json)]
        return error
    }

    /// Returns the description on one line.
    private static func line(_ error: SchemaError) -> String {
        error.reason.split(separator: "\n").map { $0.hasPrefix("- ") ? String($0.dropFirst(2)) : String($0) }
            .joined(separator: " ")
    }
}

extension ToolError {
    /// Creates an error for an error of the MongoDB-style API; `--json` also contains MongoDB's number for it.
    init(_ error: MongoError) {
        let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
        self.init(ExitStatus(error), code: error.identifier, message)
        details = [("mongoCode", error.code.json)]
    }

    /// Creates an error for the first error of several writes.
    init(_ error: BulkWriteError) {
        if let first = error.writeErrors.first {
            self.init(first.error)
        } else {
            self.init(.internalError, code: "internal-error", "a bulk write failed, and named no write that failed")
        }
    }

    /// Returns the error for an argument that isn't Extended JSON. The message doesn't quote the text.
    static func notExtendedJSON(_ name: String, _ error: ExtendedJSONError) -> ToolError {
        ToolError(.usage, code: "invalid-json", "the \(name) isn't Extended JSON: \(error)")
    }
}

extension ExitStatus {
    /// Creates the exit status for an error of the MongoDB-style API: a failure if the documents conflict with a valid
    /// request, otherwise an invalid request.
    init(_ error: MongoError) {
        switch error.codeName {
        case "NamespaceNotFound", "IndexNotFound": self = .noInput
        case "PathNotViable", "ImmutableField", "WriteConflict", "DocumentValidationFailure", "ExceededMemoryLimit",
            "CannotIndexParallelArrays", "IndexOptionsConflict", "IndexKeySpecsConflict", "ConversionFailure",
            "BSONObjectTooLarge", "DuplicateKey", "KeyTooLong":
            self = .failed
        default: self = .usage
        }
    }
}

extension ToolError {
    /// Creates an error for an error of a replicator or listener.
    init(_ error: ReplicatorError) {
        if let authentication = error.authentication {
            self.init(authentication)
            return
        }
        let (status, code): (ExitStatus, String) =
            switch error.code {
            case .http(401): (.wrongKey, "credentials-rejected")
            case .http(403): (.failed, "forbidden")
            case .connection(let code): Self.meaning(of: code)
            case .http: (.unavailable, "refused")
            case .remote: (.failed, "remote-failed")
            case .protocolViolation: (.protocolFailed, "remote-failed")
            case .credentialsUnavailable: (.unavailable, "credentials-unavailable")
            case .collectionNotFound: (.noInput, "no-such-collection")
            case .storage: (.inputOutput, "storage")
            case .alreadyRunning: (.tryAgain, "already-running")
            case .incompatibleVersioning: (.failed, Self.incompatibleVersioning)
            case .invalidConfiguration: (.usage, "usage")
            case .corruptAttachment, .conflict, .resolverFailed, .aheadOfClock: (.failed, "documents-failed")
            }
        self.init(status, code: code, error.reason, hint: Self.hint(error.code))
    }

    /// Creates an error for a port of the tool's own.
    init(_ error: TransportError) {
        let (status, code) = Self.meaning(of: error.code)
        self.init(status, code: code, error.reason, hint: error.hint)
    }

    /// Returns the error; if the remote doesn't sync with version vectors, which this side's database has, with a hint
    /// that says which remotes to upgrade, and how to sync with one that can't be.
    func explained(_ own: DocumentVersioning) -> ToolError {
        guard own == .vectors, code == Self.incompatibleVersioning else { return self }
        var explained = self
        explained.hint =
            "upgrade the remote: a Sync Gateway or an app with Couchbase Lite to version 4, a database with 'sealite upgrade"
            + " DATABASE --versioning vectors'; to sync with one that can't be upgraded, move the documents into a database"
            + " made with 'sealite create --versioning trees', with 'sealite export --all' and 'sealite import'"
        return explained
    }

    /// A Boolean value that says whether the server refused this side's certificate, or requires one.
    var isOfClientCertificate: Bool { [Self.certificateRequired, Self.certificateRejected].contains(code) }

    private static let (certificateRequired, certificateRejected) =
        ("client-certificate-required", "client-certificate-rejected")
    private static let incompatibleVersioning = "incompatible-versioning"

    private static func meaning(of code: TransportError.Code) -> (ExitStatus, String) {
        switch code {
        case .clientCertificateRequired: (.wrongKey, certificateRequired)
        case .clientCertificateRejected: (.wrongKey, certificateRejected)
        case .unencryptedCredential, .invalidURL, .invalidHeader: (.usage, "usage")
        case .unknownIssuer, .pinMismatch, .notSelfSigned, .wrongHost, .certificateExpired, .certificateNotYetValid,
            .certificateUntrusted:
            (.protocolFailed, "server-not-trusted")
        case .unknownHost: (.noHost, "connection")
        default: (.unavailable, "connection")
        }
    }

    private static func hint(_ code: ReplicatorError.Code) -> String? {
        switch code {
        case .http(401): "store the right credential with 'sealite credential set'"
        case .connection(.unknownIssuer), .connection(.notSelfSigned):
            "name the server's public key with --pin, or its issuer with --ca"
        case .connection(.pinMismatch):
            "compare the pin with the one that the server's operator or 'sealite serve' names;"
                + " a server with a new key has a new pin"
        case .connection(.wrongHost):
            "connect to a name that is in the certificate, or name the server's public key with --pin"
        case .connection(.clientCertificateRequired): "store one with 'sealite credential set URL --identity FILE'"
        case .connection(.clientCertificateRejected):
            "store one of an issuer that the server accepts with 'sealite credential set URL --identity FILE'"
        case .remote("LiteCore", 19):
            "leave out --channel: a 'sealite serve' or another listener serves whole collections, not channels"
        case .incompatibleVersioning:
            "upgrade the database that has revision trees with 'sealite upgrade DATABASE --versioning vectors'"
        default: nil
        }
    }
}

extension ToolError {
    init(_ error: CredentialError) {
        self.init(ExitStatus(error.code), code: error.code.rawValue, error.reason, hint: error.hint)
    }

    init(_ error: IdentityError) {
        self.init(ExitStatus(error.code), code: error.code.rawValue, error.reason, hint: error.hint)
    }

    init(_ error: AuthenticationError) {
        let status: ExitStatus =
            switch error.code {
            case .rejected: .wrongKey
            case .notFound: .noInput
            case .ambiguous, .unencrypted: .usage
            case .unusable: .damaged
            case .storeLocked, .storeUnavailable, .unreachable, .serverFailed: .unavailable
            case .unknownHost: .noHost
            case .untrusted, .badAnswer: .protocolFailed
            case .storePermission: .permission
            case .cancelled: .failed
            }
        self.init(status, error)
    }

    /// Creates an error for an error of the document database; an underlying error of the sealed file is reported
    /// instead.
    init(_ error: DatabaseError) {
        if let underneath = error.underlying as? SealedFileError {
            self.init(underneath)
        } else {
            self.init(ExitStatus(error.code), error)
        }
    }
}

extension ExitStatus {
    /// Creates the exit status for an error of a credential store.
    init(_ code: CredentialError.Code) {
        switch code {
        case .notFound, .noVault: self = .noInput
        case .locked, .promptDismissed, .noSessionBus, .noProvider, .noCollection, .unencryptedSession, .providerFailed:
            self = .unavailable
        case .timedOut: self = .tryAgain
        case .cancelled: self = .failed
        case .duplicate, .damaged: self = .damaged
        case .ambiguous, .tooLarge, .invalidArgument: self = .usage
        case .exists: self = .exists
        case .unsupportedVersion: self = .notSealed
        case .wrongPassphrase: self = .wrongKey
        case .permission: self = .permission
        case .diskFull: self = .inputOutput
        }
    }

    /// Creates the exit status for an error of a client identity, a certificate with its private key.
    init(_ code: IdentityError.Code) {
        switch code {
        case .wrongPassphrase: self = .wrongKey
        case .severalKeys: self = .usage
        case .failed: self = .internalError
        default: self = .damaged
        }
    }

    /// Creates the exit status for an error of the document database.
    init(_ code: DatabaseError.Code) {
        switch code {
        case .notFound: self = .noInput
        case .invalidParameter, .invalidQuery, .invalidJSON, .badDocumentID, .badName, .badRevisionID: self = .usage
        case .conflict, .refusedByIndex, .indexNotCurrent, .documentTooLarge, .decodingFailed, .encodingFailed,
            .blobMismatch,
            .transactionLost, .cancelled, .notOpen, .collectionIsSynced:
            self = .failed
        case .busy: self = .tryAgain
        case .diskFull, .ioError, .cantOpenFile: self = .inputOutput
        case .permissionDenied: self = .permission
        case .corruptData: self = .damaged
        case .databaseTooNew, .databaseTooOld, .wrongFormat: self = .notSealed
        case .unreadableDatabase: self = .wrongKey
        case .unexpected: self = .internalError
        }
    }
}

extension ValidationError {
    /// Throws an error if more than one of the options was given.
    static func requireOne(_ options: (name: String, isGiven: Bool)...) throws { try requireOne(options) }

    /// Throws an error if more than one of the options was given.
    static func requireOne(_ options: [(name: String, isGiven: Bool)]) throws {
        let given = options.filter(\.isGiven).map(\.name)
        guard given.count < 2 else {
            throw ValidationError("\(given.joined(separator: " and ")) can't be given together.")
        }
    }
}
