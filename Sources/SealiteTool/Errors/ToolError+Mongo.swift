import SealiteMongo
import SealiteValues

extension ToolError {
    /// Creates an error for an error of the MongoDB-style API; `--json` also contains MongoDB's number for it.
    init(_ error: MongoError) {
        let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
        self.init(ExitStatus(error), code: error.identifier, message)
        details = [("mongoCode", .integer(Int64(error.code)))]
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
