import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

extension MongoCommand {
    /// The command `sealite mongo insert`, which inserts one or more documents.
    struct Insert: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "insert",
            abstract: "Insert one or more documents; the collection is created if it doesn't exist.",
            discussion: """
                DOCUMENTS is a document or an array of documents. Without it each line of standard input is a \
                document, and a thousand documents are inserted in one transaction. A document without an "_id" gets \
                one. If a document can't be inserted, the documents before it remain stored. If one isn't Extended \
                JSON or is too large, nothing of the array, or of its thousand lines, is stored.

                Example: sealite mongo insert notes.db people '{"name": "Ann", "age": 30}' --key-file notes.key
                """)

        @OptionGroup var place: MongoTarget

        @Argument(help: "A document, or an array of documents.")
        var documents: String?

        @OptionGroup var form: ExtendedJSONOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            try options.key.requireOneReader(("the documents", documents == nil))
            guard documents != nil || !Console.inputIsTerminal else {
                throw ValidationError(
                    "Standard input is a terminal: give the documents as an argument, or from a file or a pipe on standard input."
                )
            }
        }

        func run() throws {
            guard let documents else { return try insertLines() }
            let value = try MongoValue("argument DOCUMENTS", Array(documents.utf8))
            let isOne = if case .document = value.value { true } else { false }
            let given = isOne ? [try value.document] : try value.documents(as: "a document or an array of documents")
            guard !given.isEmpty else {
                throw ToolError.usage("the argument DOCUMENTS is an empty array: there is no document to insert")
            }
            let inserted = try place.withCollection(options, isMade: true) { collection in
                try StoppableChange("inserting", json: options.output.json).run {
                    try InsertRun.insert(given, into: collection) { index in isOne ? "" : "document \(index + 1): " }
                }
            }
            report(inserted.sorted { $0.key < $1.key }.map { $0.value.extendedJSON(form.form) })
        }

        private func report(_ ids: [String]) {
            guard !options.output.json else {
                return Console.print(["insertedCount": ids.count, "insertedIds": ids.map(JSONValue.json)])
            }
            for id in ids { Console.print("inserted _id \(id)") }
        }

        private func insertLines() throws {
            let count = try options.withDatabase(place.database) { database in
                let inserting = InsertRun(place: place, database: database)
                var change = StoppableChange("inserting", json: options.output.json)
                change.effect = { inserting.effect }
                return try change.run { try inserting.insertLines() }
            }
            options.output.print("inserted \(count.documents)", json: ["insertedCount": count])
        }
    }
}

/// The insertion of documents from the lines of standard input.
private final class InsertRun {
    private let place: MongoTarget
    private let database: Database
    /// The number of documents that are inserted, by the transactions that are committed.
    private var count = 0

    init(place: MongoTarget, database: Database) { (self.place, self.database) = (place, database) }

    /// A description of the changes that stay after a signal has stopped the insertion.
    var effect: String {
        count == 0
            ? "nothing was inserted" : "\(count.documents) \(count == 1 ? "is" : "are") inserted, and none after them"
    }

    /// Inserts the documents and returns their number.
    func insertLines() throws -> Int {
        let lines = LineBatches(try InputFile("-", besides: place.database))
        var collection: MongoCollection<MongoDocument>?
        let control = WriteControl.current
        control?.set(done: 0, of: nil)
        while let batch = try next(lines, after: count) {
            try control?.requireNotStopped()
            let target =
                try collection
                ?? MongoCollection(
                    try database.createCollection(name: place.collection.name, scope: place.collection.scope))
            collection = target
            count += try Self.insert(batch.map(\.item), into: target, after: count) { "line \(batch[$0].line): " }
                .count
            control?.set(done: count, of: nil)
        }
        return count
    }

    private func next(
        _ lines: LineBatches, after count: Int
    ) throws -> [(line: Int, item: MongoDocument)]? {
        try lines.next { line, bytes in
            do throws(ToolError) {
                return try MongoValue("document", bytes).document
            } catch {
                throw ToolError(
                    error.status, code: error.code, "line \(line): \(error.message)\(Self.said(of: count))",
                    hint: "insert takes one document in Extended JSON on each line")
            }
        }
    }

    /// Inserts documents in one transaction, which the calling thread's `WriteControl` can stop.
    ///
    /// - Parameters:
    ///   - documents: the documents.
    ///   - collection: the collection.
    ///   - count: the number of documents that were inserted before.
    ///   - place: returns the location of a document in the input, for its error.
    /// - Returns: the `_id`s by the documents' positions in the array.
    /// - Throws: the first error, with the document's location.
    static func insert(
        _ documents: [MongoDocument], into collection: MongoCollection<MongoDocument>, after count: Int = 0,
        _ place: (Int) -> String
    ) throws -> [Int: BSON] {
        do {
            return try waiting { [control = WriteControl.current] in
                try await WriteControl.$current.withValue(control) {
                    try await collection.insertMany(documents).insertedIDs
                }
            }
        } catch let error as BulkWriteError {
            guard let first = error.writeErrors.first else { throw error }
            let cause = ToolError(first.error)
            var named = ToolError(
                cause.status, code: cause.code,
                "\(place(first.index))\(cause.message)\(said(of: count + error.result.insertedCount))", hint: cause.hint
            )
            named.details = cause.details
            throw named
        }
    }

    private static func said(of count: Int) -> String {
        count == 0 ? "" : " (\(count.documents) before it \(count == 1 ? "is" : "are") inserted)"
    }
}
