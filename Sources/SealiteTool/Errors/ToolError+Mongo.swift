import SealiteMongo
import SealiteValues

extension ToolError {
    /// An error of the MongoDB-style API; `--json` has MongoDB's number for it, too.
    init(_ error: MongoError) {
        let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
        self.init(ExitStatus(error), code: Self.code(error.codeName), message)
        details = [("mongoCode", .integer(Int64(error.code)))]
    }

    /// The first error of several writes.
    init(_ error: BulkWriteError) {
        if let first = error.writeErrors.first {
            self.init(first.error)
        } else {
            self.init(.internalError, code: "internal-error", "a write failed")
        }
    }

    /// A text of the command line that isn't Extended JSON. The message has nothing of the text.
    static func notExtendedJSON(_ name: String, _ error: ExtendedJSONError) -> ToolError {
        ToolError(.usage, code: "invalid-json", "the \(name) isn't Extended JSON: \(error)")
    }
}

extension ExitStatus {
    /// The class that an error of the MongoDB-style API belongs to: where the documents stand against a request it ran and failed, else the
    /// request isn't one.
    init(_ error: MongoError) {
        switch error.codeName {
        case "NamespaceNotFound", "IndexNotFound": self = .noInput
        case "PathNotViable", "ImmutableField", "WriteConflict", "DocumentValidationFailure", "ExceededMemoryLimit",
            "CannotIndexParallelArrays", "IndexOptionsConflict", "IndexKeySpecsConflict", "ConversionFailure",
            "BSONObjectTooLarge", "DuplicateKey":
            self = .failed
        default: self = .usage
        }
    }
}
