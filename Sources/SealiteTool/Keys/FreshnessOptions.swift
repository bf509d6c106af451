import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The freshness record against which a database is checked at opening.
struct FreshnessOptions: ParsableArguments {
    @Option(
        "file", name: .customLong("freshness"),
        help: "Refuse the database if it is older than the state in this freshness record, or another database.")
    var recordPath: String?

    @Flag(
        help:
            "After a deliberate restore: open the database although it is older than the --freshness record or another database, and update the record."
    )
    var acceptRollback = false

    func validate() throws {
        guard recordPath != nil || !acceptRollback else {
            throw ValidationError("--accept-rollback needs --freshness, which names the record to update.")
        }
    }

    /// Checks an unlocked database against the record, if one is named, before any content is read. With
    /// `--accept-rollback`, an older or another database isn't an error: the record is updated to it.
    func check(_ database: SealedDatabase) throws {
        guard let recordPath else { return }
        do {
            try Self.check(database, against: recordPath)
        } catch let error as ToolError where error.status == .rolledBack && acceptRollback {
            try database.recordFreshness(at: recordPath, acceptingRollback: true)
        }
    }

    /// Updates the record to a header that a command has changed, so that the previous header is no longer accepted.
    func recordChange(of database: SealedDatabase) throws {
        guard let recordPath else { return }
        try database.recordFreshness(at: recordPath)
    }

    /// Throws an error unless the database is the recorded one or a later state of it.
    static func check(_ database: SealedDatabase, against recordPath: String) throws {
        switch try database.freshness(against: recordPath) {
        case .fresh: break
        case .noRecord: throw ToolError.noFreshnessRecord(recordPath)
        case .rolledBack(let recorded, let found, let reason):
            var error = ToolError(SealedFileError.rolledBack(database.path, recorded, found, reason))
            error.details = [("recorded", recorded.json), ("found", found.json)]
            throw error
        }
    }
}

extension ToolError {
    fileprivate static func noFreshnessRecord(_ recordPath: String) -> ToolError {
        ToolError(
            .noInput, code: SealedFileError.Code.noSuchFile.rawValue,
            "there is no freshness record at \"\(recordPath)\"",
            hint: "if there never was one, make it with 'sealite freshness record'; if there was, someone removed it")
    }
}

extension FreshnessNumbers: JSONRepresentable {
    /// The numbers as a JSON object. The counter and the generation are texts, because they may exceed the numbers of a
    /// JSON parser.
    var json: JSONValue {
        [
            "databaseID": databaseID, "epoch": epoch, "counter": String(counter), "generation": String(generation),
            "serial": serial,
        ]
    }
}

extension FreshnessRecord: JSONRepresentable {
    var json: JSONValue { numbers.json }
}
