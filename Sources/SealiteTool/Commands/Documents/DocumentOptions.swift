import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteModel
import Synchronization

/// What every command on a document database takes.
struct DocumentOptions: ParsableArguments {
    @OptionGroup var key: KeyOptions

    @Option(help: "Try only this key slot, by its number in 'sealite key list'.")
    var slot: Int?

    @OptionGroup var freshness: FreshnessOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    /// Opens the database for as long as `body` runs. An empty sealed file becomes a document database.
    func withDatabase<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = wait.timeout
        // On a terminal only: what the command writes as JSON is no progress.
        let progress = Mutex(ProgressReporter(json: false))
        configuration.migrationProgress = { migration in
            progress.withLock {
                $0.report("migrating", completed: Int64(migration.rowCount), total: Int64(migration.totalRowCount))
                if migration.rowCount == migration.totalRowCount { $0.finish() }
            }
            return true
        }
        let file = try key.unlock(path, slot: slot, freshness: freshness)
        let database = try Database(file: file, configuration: configuration)
        SchemaGuard.install(in: database, onWarning: Console.warn)
        let result: Result
        do {
            result = try body(database)
        } catch {
            // The first failure is the one to tell.
            try? database.close()
            throw error
        }
        try database.close()
        return result
    }

    /// Refuses to read the passphrase and content from one stream.
    func requireStandardInput(isContent: Bool) throws {
        guard !(isContent && key.passphraseFd == 0) else {
            throw ValidationError("Standard input can't hold both the passphrase and the content.")
        }
    }
}

extension Console {
    /// Says that a document was saved although it doesn't fit its schema.
    fileprivate static func warn(_ warning: SchemaWarning) {
        let reasons = warning.violations.map(\.description).joined(separator: ", ")
        warn(
            "unfit-document",
            "the document \"\(warning.documentID)\" of \"\(warning.collection)\" doesn't fit the schema of \"\(warning.type)\": \(reasons)"
        )
    }
}

/// Which collection a command works on.
struct CollectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The collection: its name, or SCOPE.NAME.", valueName: "name"))
    var collection = CollectionName.standard

    /// - Throws: where there is no such collection.
    func find(in database: Database) throws -> Collection { try collection.find(in: database) }
}

/// A collection's name on the command line: `notes`, or `work.notes` in a scope of its own. Names hold no dots.
struct CollectionName: ExpressibleByArgument, CustomStringConvertible {
    let scope: String
    let name: String

    static let standard = CollectionName(scope: Database.defaultScopeName, name: Database.defaultCollectionName)

    /// - Throws: where there is no such collection.
    func find(in database: Database) throws -> Collection {
        guard let found = try database.collection(name: name, scope: scope) else {
            throw ToolError(
                .noInput, code: "no-such-collection", "there is no collection \"\(self)\"",
                hint: "'sealite collection list' shows those there are, 'sealite collection create' makes one")
        }
        return found
    }

    init(scope: String, name: String) {
        (self.scope, self.name) = (scope, name)
    }

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1: self.init(scope: Database.defaultScopeName, name: parts[0])
        case 2: self.init(scope: parts[0], name: parts[1])
        default: return nil
        }
    }

    var description: String { scope == Database.defaultScopeName ? name : "\(scope).\(name)" }
    var defaultValueDescription: String { description }
}

extension ToolError {
    /// A document that isn't there.
    static func noDocument(_ id: String, in collection: Collection) -> ToolError {
        ToolError(
            .noInput, code: "no-such-document", "there is no document \"\(id)\" in \"\(collection.fullName)\"",
            hint: "'sealite doc list' shows those there are")
    }

    /// An error of the document database; one of the sealed file underneath speaks for itself.
    init(_ error: DatabaseError) {
        if let underneath = error.underlying as? SealedFileError {
            self.init(underneath)
            return
        }
        self.init(ExitStatus(error.code), code: Self.code(error.code.rawValue), error.reason, hint: error.hint)
    }

    /// Returns `invalidJSON` as `invalid-json`.
    static func code(_ name: String) -> String {
        var text = ""
        var wasLowercase = false
        for character in name {
            if character.isUppercase, wasLowercase { text += "-" }
            wasLowercase = character.isLowercase
            text += character.lowercased()
        }
        return text
    }
}

extension ExitStatus {
    /// The class that an error of the document database belongs to.
    init(_ code: DatabaseError.Code) {
        switch code {
        case .notFound: self = .noInput
        case .invalidParameter, .invalidQuery, .badDocumentID, .badName, .badRevisionID: self = .usage
        case .conflict, .refusedByIndex, .invalidJSON, .documentTooLarge, .decodingFailed, .encodingFailed,
            .blobMismatch,
            .transactionLost, .cancelled, .notOpen, .collectionIsSynced:
            self = .failed
        case .busy: self = .tryAgain
        case .diskFull, .ioError, .cantOpenFile: self = .inputOutput
        case .permissionDenied: self = .permission
        case .corruptData: self = .damaged
        case .databaseTooNew, .wrongFormat: self = .notSealed
        case .unreadableDatabase: self = .wrongKey
        case .unexpected: self = .internalError
        }
    }
}

extension String {
    /// JSON text that a terminal may show: what would steer it is escaped, which changes nothing of what the text means.
    /// Control characters below 0x20 are escaped in JSON anyway.
    var jsonForOutput: String {
        guard Console.outputIsTerminal, withoutControls != self else { return self }
        var text = ""
        for scalar in unicodeScalars {
            let isHarmless = String(scalar).withoutControls.unicodeScalars.first == scalar
            text +=
                isHarmless
                ? String(scalar) : "\\u" + String(scalar.value, radix: 16).padded(to: 4, with: "0", right: false)
        }
        return text
    }
}
