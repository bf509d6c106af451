import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteModel
import Synchronization

/// The options of every command on a document database.
struct DocumentOptions: ParsableArguments {
    @OptionGroup var key: KeyOptions

    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    /// Opens the database, passes it to `body` and closes it. An empty sealed file becomes a document database.
    func withDatabase<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        try withDatabase(try unlock(path), body)
    }

    /// Unlocks a database, which may be of any kind, and checks its freshness.
    func unlock(_ path: String) throws -> SealedDatabase { try key.unlock(path, freshness: freshness) }

    /// Opens the database in an unlocked file, passes it to `body` and closes it.
    func withDatabase<Result>(_ file: SealedDatabase, _ body: (Database) throws -> Result) throws -> Result {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(wait.timeout)
        // On a terminal only, because the command's JSON output must not contain progress.
        let progress = Mutex(ProgressReporter(json: false))
        configuration.indexProgress = { done in
            progress.withLock {
                $0.report("rebuilding indexes", completed: done.rowCount, total: done.totalRowCount)
                if done.rowCount == done.totalRowCount { $0.finish() }
            }
            return true
        }
        let database = try Database(file: file, configuration: configuration)
        SchemaGuard.install(in: database, onWarning: Console.warn)
        let result: Result
        do {
            result = try body(database)
        } catch {
            // If closing fails too, the first error is reported.
            try? database.close()
            throw error
        }
        try database.close()
        return result
    }
}

/// The argument of every command on a database.
struct DatabaseArgument: ParsableArguments {
    @Argument(help: "The database.", completion: .file())
    var database: String
}

/// A command that opens a document database and closes it at the end.
protocol DatabaseCommand: ParsableCommand {
    var place: DatabaseArgument { get }
    var options: DocumentOptions { get }

    func run(in database: Database) throws
}

extension DatabaseCommand {
    func run() throws { try options.withDatabase(place.database) { try run(in: $0) } }
}

/// A command on the documents of one collection.
protocol DocumentsCommand: DatabaseCommand {
    var collection: CollectionOptions { get }

    func run(on collection: Collection) throws
}

extension DocumentsCommand {
    func run(in database: Database) throws { try run(on: collection.find(in: database)) }
}

extension Console {
    /// Warns that a document was saved although it doesn't conform to its schema.
    fileprivate static func warn(_ warning: SchemaWarning) {
        let reasons = warning.violations.map(\.description).joined(separator: ", ")
        warn(
            "unfit-document",
            "the document \"\(warning.documentID)\" of \"\(warning.collection)\" was saved, but doesn't fit the schema of \"\(warning.type)\": \(reasons)"
        )
    }
}

extension ToolError {
    /// Returns the error for a document that doesn't exist.
    static func noDocument(_ id: String, in collection: Collection) -> ToolError {
        ToolError(
            .noInput, code: "no-such-document", "there is no document \"\(id)\" in \"\(collection.fullName)\"",
            hint: "'sealite doc list' lists the documents; --collection names another collection")
    }
}
