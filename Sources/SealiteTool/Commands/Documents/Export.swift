import ArgumentParser
import SealiteDatabase

/// `sealite export`
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the documents of a collection as JSON, one to a line, in clear.",
        discussion: """
            All come from one state of the database, whatever others write meanwhile. A document's id is its member "_id", or \
            the one that --id-field names. Numbers, members and their order are as they were saved. Blobs are described, not \
            contained: 'sealite blob get' writes them. The file appears whole or not at all, with mode 0600.

            Example: sealite export notes.db notes.jsonl --key-file notes.key
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The file to make, or - for standard output.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The member to write ids in.", valueName: "name"))
    var idField: String?

    @Flag(help: "Leave ids out, so that lines are as they were imported.")
    var noIds = false

    @Flag(help: "In the order of their last change instead of their ids.")
    var bySequence = false

    @OptionGroup var collection: CollectionOptions
    @OptionGroup var options: DocumentOptions

    func validate() throws {
        guard !(noIds && idField != nil) else {
            throw ValidationError("--no-ids and --id-field can't be given together.")
        }
    }

    func run() throws {
        let toStandardOutput = file == "-"
        let progress = ProgressReporter(json: options.output.json && !toStandardOutput)
        defer { progress.finish() }
        var count: Int64 = 0
        let output = try OutputFile(file)
        let range = DocumentRange(order: bySequence ? .sequence : .id)
        try options.withDatabase(database) { database in
            let collection = try collection.find(in: database)
            let total = Int64(try collection.count)
            try collection.forEachDocument(in: range) { document in
                try output.add(try line(document))
                count += 1
                progress.report("exporting", completed: count, total: total)
            }
            try output.finish()
        }
        progress.finish()
        guard !toStandardOutput else { return }
        Console.print(
            options.output.json
                ? JSONValue.object([("exported", .integer(count))]).encoded : "exported \(count) documents")
    }

    private func line(_ document: Document) throws -> [UInt8] {
        let body = try document.jsonBytes()
        let newLine = [UInt8(ascii: "\n")]
        guard !noIds else { return body + newLine }
        let name = idField ?? Import.standardIDField
        if let value = document.value(forKey: name) {
            guard value.string ?? value.number?.description == document.id else {
                throw ToolError(
                    .failed, code: "id-field-taken", "the document \"\(document.id)\" has another value in \"\(name)\"",
                    hint: "choose another member with --id-field")
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
