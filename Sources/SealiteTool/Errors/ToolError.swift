import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteModel
import SealiteMongo
import SealiteReplicator

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

    /// Creates an error for an error of any kind.
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

    /// The error as the JSON object that is written to standard error with `--json`.
    var json: JSONValue {
        .object(
            [
                ("code", .text(code)), ("message", .text(message)), ("hint", hint.map(JSONValue.text) ?? .null),
                ("page", page.map { .integer(Int64($0)) } ?? .null), ("exitCode", .integer(Int64(status.rawValue))),
            ] + details)
    }

    /// The lines for people. They may contain text from files, servers and providers of the Secret Service.
    var text: String {
        "sealite: \(message.withoutControls)\n" + remarks.map { "  \($0.withoutControls)\n" }.joined()
            + (hint.map { "hint: \($0.withoutControls)\n" } ?? "")
    }
}
