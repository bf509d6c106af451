import ArgumentParser
import SealiteDatabase

/// The command `sealite export`, which writes the documents of a collection, or a whole database, as lines of JSON, in
/// clear.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the documents of a collection, or a whole database, as lines of JSON, in clear.",
        discussion: """
            All documents are from one state of the database, even if other programs write to it meanwhile. The id \
            of a document is written as its member "_id", or the member named by --id-field. Numbers, members and \
            their order are preserved. Blobs are described, but their content isn't written; use 'sealite blob get'. \
            With --all the file has all collections and the content of blobs, and 'sealite import' creates the same \
            documents from it, with new revisions; indexes, schemas and the history aren't written. The file is written completely or not at all, with mode 0600.

            Example: sealite export notes.db notes.jsonl --key-file notes.key
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @OptionGroup var destination: OutputLocation

    @Option(help: ArgumentHelp("The member in which ids are written. Default: _id.", valueName: "name"))
    var idField: String?

    @Flag(help: "Don't write ids: each line is the document as it is stored.")
    var noIds = false

    @Flag(help: "Sort by the sequence of the last change, not by id.")
    var bySequence = false

    @Flag(help: "Write all collections, and the content of blobs.")
    var all = false

    @Option(help: ArgumentHelp("The collection: its name, or SCOPE.NAME. Default: _default.", valueName: "name"))
    var collection: CollectionName?

    @OptionGroup var options: DocumentOptions

    func validate() throws {
        guard !(noIds && idField != nil) else {
            throw ValidationError("--no-ids and --id-field can't be given together.")
        }
        guard !all || !(noIds || idField != nil || bySequence || collection != nil) else {
            throw ValidationError(
                "--all can't be given together with --collection, --id-field, --no-ids or --by-sequence.")
        }
    }

    func run() throws {
        let toStandardOutput = destination.path == "-"
        // A bar would stand among the lines of the export.
        let progress = ProgressReporter(
            json: options.output.json && !toStandardOutput, isShown: !(toStandardOutput && Console.outputIsTerminal))
        defer { progress.finish() }
        var count: Int64 = 0
        var blobCount: Int64 = 0
        var left: [String] = []
        let output = try OutputFile(destination.path)
        try options.withDatabase(database) { database in
            try database.read {
                if all {
                    var exporter = WholeExporter(output, progress)
                    try exporter.write(database)
                    (count, blobCount) = (exporter.documentCount, exporter.blobCount)
                } else {
                    count = try write(database, output, progress)
                    left = try leftOut(of: database)
                }
            }
            try output.finish()
        }
        progress.finish()
        if !left.isEmpty {
            Console.warn(
                "not-exported", "not exported: \(left.joined(separator: ", and ")); --all exports a whole database")
        }
        guard !toStandardOutput else { return }
        if options.output.json {
            var members: [(String, JSONValue)] = [("exported", .integer(count))]
            if all { members.append(("blobs", .integer(blobCount))) }
            Console.print(JSONValue.object(members).encoded)
        } else {
            Console.confirm(
                "exported \(counted(count, "document"))" + (blobCount > 0 ? " and \(counted(blobCount, "blob"))" : ""))
        }
    }

    /// Writes one collection and returns the number of documents.
    private func write(_ database: Database, _ output: OutputFile, _ progress: ProgressReporter) throws -> Int64 {
        let collection = try (collection ?? .standard).find(in: database)
        let total = Int64(try collection.count)
        var count: Int64 = 0
        try collection.forEachDocument(in: DocumentRange(order: bySequence ? .sequence : .id)) { document in
            try output.add(
                noIds
                    ? document.jsonBytes() + [UInt8(ascii: "\n")]
                    : Self.line(document, idField: idField ?? Import.standardIDField))
            count += 1
            progress.report("exporting", completed: count, total: total)
        }
        return count
    }

    /// Returns descriptions of what an export of one collection leaves out: the content of blobs and, unless the
    /// collection was chosen, other collections.
    private func leftOut(of database: Database) throws -> [String] {
        let own = try (collection ?? .standard).find(in: database)
        var left: [String] = []
        let blobs = try database.referredBlobs(of: own).count
        if blobs > 0 { left.append("the content of \(counted(blobs, "blob"))") }
        let others = try database.statistics().collections.filter {
            $0.fullName != own.fullName && $0.documentCount > 0
        }
        if collection == nil, !others.isEmpty {
            left.append(
                "\(counted(others.count, "other collection")) (\(others.map(\.fullName).joined(separator: ", ")))")
        }
        return left
    }

    /// Returns the line of a document, with the document's id as the member `name`. If the document has such a member
    /// already, its value must be the id.
    static func line(_ document: Document, idField name: String) throws -> [UInt8] {
        let body = try document.jsonBytes()
        let newLine = [UInt8(ascii: "\n")]
        if let value = document.value(forKey: name) {
            guard value.string ?? value.number?.description == document.id else {
                throw ToolError(
                    .failed, code: "id-field-taken",
                    "the document \"\(document.id)\" has a member \"\(name)\" whose value isn't the document's id",
                    hint: "write the ids to another member with --id-field")
            }
            return body + newLine
        }
        var head = "{"
        head += JSONValue.text(name).encoded
        head += ":"
        head += JSONValue.text(document.id).encoded
        if document.count > 0 { head += "," }
        return Array(head.utf8) + body.dropFirst() + newLine
    }
}
