import ArgumentParser
import SealiteDatabase

extension Doc {
    /// The command `sealite doc put`, which creates a document or saves a new revision of it.
    struct Put: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "put",
            abstract: "Create a document, or save a new revision of it.",
            discussion: """
                The content is a JSON object, given as an argument or on standard input. Other users of the machine \
                can see arguments in the list of processes. Without an id the document gets a random UUID. Prints \
                the id and the new revision. The content replaces the whole document: to change members of it, use \
                'sealite mongo update' or UPDATE in 'sealite query'.

                Example: sealite doc put notes.db '{"text": "hello"}' --key-file notes.key

                Example: sealite doc put notes.db shopping --key-file notes.key < shopping.json
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: ArgumentHelp("The id of the document; none for a random one.", valueName: "id"))
        var first: String?

        @Argument(help: ArgumentHelp("The content; '-' or none: standard input.", valueName: "content"))
        var content: String?

        /// A Boolean value that says whether the only argument is the content, without an id: it begins with `{`.
        private var isContentAlone: Bool { content == nil && first?.hasPrefix("{") == true }
        private var id: String? { isContentAlone ? nil : first }
        private var givenContent: String? { isContentAlone ? first : content == "-" ? nil : content }

        @Flag(help: "Fail if there is such a document already.")
        var new = false

        @Option("id", help: "Fail unless this is the document's revision now.")
        var ifRevision: String?

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            try options.key.requireOneReader(("the content", givenContent == nil))
            guard ifRevision == nil || id != nil else {
                throw ValidationError("--if-revision needs the id of a document.")
            }
            try ValidationError.requireOne(("--new", new), ("--if-revision", ifRevision != nil))
        }

        func run(on collection: Collection) throws {
            let text = try givenContent.map { Array($0.utf8) } ?? InputFile("-", besides: place.database).all()
            guard givenContent != nil || !text.isEmpty else {
                let taken = id.map { "; \"\($0)\" was taken for the id" } ?? ""
                throw ToolError(
                    .usage, code: "invalid-json", "the document can't be read: standard input is empty\(taken)",
                    hint: "a document is a JSON object such as '{\"text\": \"hello\"}'")
            }
            let edited = try MutableDocument(id: id, json: text)
            let control: ConcurrencyControl = new ? .failOnConflict : .lastWriteWins
            let outcome = try StoppableChange("saving", json: options.output.json).run {
                try collection.database.write { _ in
                    if let ifRevision { try Self.require(ifRevision, of: edited.id, in: collection) }
                    return try collection.save(document: edited, concurrencyControl: control)
                }
            }
            guard case .saved(let saved) = outcome else {
                throw ToolError(
                    .failed, code: "conflict", "there is a document \"\(edited.id)\" already",
                    hint: "leave out --new to save a new revision of it")
            }
            options.output.print([saved.id, "\(saved.revisionID)"].shownLine, json: saved.line(body: nil))
        }

        /// Throws an error unless the document's current revision is `revision`. Called in the transaction that saves,
        /// so that no other change can happen in between.
        static func require(_ revision: String, of id: String, in collection: Collection) throws {
            let found = try collection.document(id: id)?.revisionID
            guard found == revision else {
                throw ToolError(
                    .failed, code: "conflict",
                    found.map { "the current revision of the document \"\(id)\" is \($0), not \(revision)" }
                        ?? "there is no document \"\(id)\", which --if-revision needs",
                    hint: found == nil
                        ? "'sealite doc list' lists the documents" : "read the document again with 'sealite doc get'")
            }
        }
    }

    /// The command `sealite doc delete`, which deletes documents in one transaction, leaving tombstones.
    struct Delete: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete documents in one transaction. Each leaves a tombstone, which is replicated.",
            discussion: "Example: sealite doc delete notes.db shopping --key-file notes.key")

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The ids of the documents.")
        var ids: [String]

        @Option("id", help: "Fail unless this is the document's revision now.")
        var ifRevision: String?

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            guard !ids.isEmpty else { throw ValidationError("Missing the id of a document.") }
            guard ifRevision == nil || ids.count == 1 else {
                throw ValidationError("--if-revision can be given with only one document id.")
            }
        }

        func run(on collection: Collection) throws {
            try StoppableChange("deleting", json: options.output.json).run {
                try collection.database.write { _ in
                    for id in ids {
                        if let ifRevision { try Put.require(ifRevision, of: id, in: collection) }
                        guard let document = try collection.document(id: id) else {
                            throw ToolError.noDocument(id, in: collection)
                        }
                        try collection.delete(document: document)
                    }
                }
            }
            options.output.report("deleted", ids)
        }
    }

    /// The command `sealite doc purge`, which removes documents or tombstones in one transaction, without leaving
    /// tombstones.
    struct Purge: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "purge",
            abstract: "Purge documents or tombstones in one transaction, without leaving tombstones.",
            discussion: """
                A purge isn't replicated: a peer that has the document may send it again.

                Example: sealite doc purge notes.db shopping --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The ids of the documents.")
        var ids: [String]

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            guard !ids.isEmpty else { throw ValidationError("Missing the id of a document.") }
        }

        func run(on collection: Collection) throws {
            try StoppableChange("purging", json: options.output.json).run {
                try collection.database.write { _ in
                    for id in ids {
                        do {
                            try collection.purge(id: id)
                        } catch let error as DatabaseError where error.code == .notFound {
                            throw ToolError.noDocument(id, in: collection)
                        }
                    }
                }
            }
            options.output.report("purged", ids)
        }
    }
}

extension OutputOptions {
    /// Prints what was done to each document or collection, such as `deleted "shopping"`, or with `--json` one object
    /// for each.
    func report(_ verb: String, _ names: [String]) {
        for name in names { confirm("\(verb) \"\(name)\"", json: [verb: name]) }
    }
}

extension [String] {
    /// A line with these columns, separated by tabs. Control characters in a column, tabs too, are escaped.
    var shownLine: String { map(\.withoutControls).joined(separator: "\t") }
}
