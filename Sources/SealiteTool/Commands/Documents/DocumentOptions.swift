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
        try withDatabase(try key.unlock(path, freshness: freshness), body)
    }

    /// Opens the database in an unlocked file, passes it to `body` and closes it.
    func withDatabase<Result>(_ file: SealedDatabase, _ body: (Database) throws -> Result) throws -> Result {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(wait.timeout)
        // On a terminal only, because the command's JSON output must not contain progress.
        let progress = Mutex(ProgressReporter(json: false))
        configuration.indexProgress = { done in
            progress.withLock {
                $0.report("rebuilding indexes", completed: Int64(done.rowCount), total: Int64(done.totalRowCount))
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
