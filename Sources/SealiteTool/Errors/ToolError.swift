import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteModel
import SealiteMongo
import SealiteReplicator

/// What the command line reports and exits with: for people a sentence and a hint, for scripts a code and an exit code.
struct ToolError: Error {
    let status: ExitStatus
    /// Finer than the exit code: `wrong-key`, `no-such-file`.
    let code: String
    let message: String
    var hint: String?
    var page: UInt32?
    /// Lines below the message, for people; scripts find what they say in `details`.
    var remarks: [String] = []
    /// What `--json` adds.
    var details: [(String, JSONValue)] = []

    init(_ status: ExitStatus, code: String, _ message: String, hint: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
    }

    init(_ error: SealedFileError) {
        status = ExitStatus(error.code)
        code = error.code.rawValue
        message = error.reason
        hint = error.hint
        page = error.page
    }

    static func usage(_ message: String, hint: String? = nil) -> ToolError {
        ToolError(.usage, code: "usage", message, hint: hint)
    }

    /// An error of whatever kind, as the tool reports it.
    init(any error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as SealedFileError: self.init(error)
        case let error as CredentialError: self.init(error)
        case let error as IdentityError: self.init(error)
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

    /// The object that `--json` puts on standard error.
    var json: JSONValue {
        .object(
            [
                ("code", .text(code)), ("message", .text(message)), ("hint", hint.map(JSONValue.text) ?? .null),
                ("page", page.map { .integer(Int64($0)) } ?? .null), ("exitCode", .integer(Int64(status.rawValue))),
            ] + details)
    }

    /// The lines for people. Files, servers and providers of the Secret Service have their words in them.
    var text: String {
        "sealite: \(message.withoutControls)\n" + remarks.map { "  \($0.withoutControls)\n" }.joined()
            + (hint.map { "hint: \($0.withoutControls)\n" } ?? "")
    }
}
