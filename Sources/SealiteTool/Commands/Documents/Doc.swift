import ArgumentParser
import SealiteDatabase

/// The command `sealite doc`, whose subcommands read, save, delete and list JSON documents.
struct Doc: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doc",
        abstract: "Read, save, delete and list JSON documents.",
        discussion: """
            A sealed file made by 'sealite create' becomes a document database when one of these commands first \
            opens it.

            Example: sealite doc list notes.db --key-file notes.key
            """,
        subcommands: [Get.self, Put.self, Delete.self, Purge.self, List.self, History.self])

    /// The command `sealite doc get`, which writes documents as JSON, one to a line.
    struct Get: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Write documents as JSON, one to a line.",
            discussion: """
                With --json each line also has the id, the revision and the sequence. If a document doesn't exist, \
                the command ends with exit code 66.

                Example: sealite doc get notes.db shopping --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The ids of the documents.")
        var ids: [String]

        @Option("id", help: "The revision to read, if its body is still stored.")
        var revision: String?

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            guard !ids.isEmpty else { throw ValidationError("Missing the id of a document.") }
            guard revision == nil || ids.count == 1 else {
                throw ValidationError("--revision can be given with only one document id.")
            }
        }

        func run(on collection: Collection) throws {
            for id in ids {
                guard let document = try find(id, collection) else { throw try absence(of: id, in: collection) }
                let text = try document.toJSON()
                options.output.print(text, json: document.line(body: text))
            }
        }

        private func absence(of id: String, in collection: Collection) throws -> ToolError {
            guard let revision, try !collection.revisions(id: id).isEmpty else {
                return .noDocument(id, in: collection)
            }
            return ToolError(
                .noInput, code: "no-such-revision",
                "the document \"\(id)\" has no revision \(revision) with a stored body",
                hint: "'sealite doc history' marks the revisions that have a body")
        }

        private func find(_ id: String, _ collection: Collection) throws -> Document? {
            guard let revision else { return try collection.document(id: id) }
            guard let parsed = RevisionID(revision) else {
                throw ToolError.usage("\"\(revision)\" isn't a revision ID", hint: "'sealite doc history' shows them")
            }
            return try collection.document(id: id, revision: parsed)
        }
    }

    /// The command `sealite doc list`, which lists the ids, revisions and sequences of documents.
    struct List: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List documents: id, revision, sequence.",
            discussion: """
                With --json, one object on each line.

                Example: sealite doc list notes.db --prefix 2026- --limit 20 --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Option("text", help: "Only documents whose id begins with this text.")
        var prefix: String?

        @Option("n", help: "The maximum number of documents. Default: no limit.")
        var limit: Int?

        @Flag(help: "Include deleted documents.")
        var deleted = false

        @Flag(help: "Sort by the sequence of the last change, not by id.")
        var bySequence = false

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        private struct Enough: Error {}

        func validate() throws { try limit.requirePositive("--limit") }
        func run(on collection: Collection) throws {
            var range = prefix.map { DocumentRange.prefix($0) } ?? DocumentRange()
            range.order = bySequence ? .sequence : .id
            range.includingDeleted = deleted
            var count = 0
            do {
                try collection.forEachDocument(in: range) { document in
                    guard count < limit ?? .max else { throw Enough() }
                    count += 1
                    options.output.print(row(document), json: document.line(body: nil))
                }
            } catch is Enough {}
        }

        private func row(_ document: Document) -> String {
            [document.id, "\(document.revisionID)", "\(document.sequence)"].shownLine
                + (document.isDeleted ? "\tdeleted" : "")
                + (document.hasConflict ? "\tconflict" : "")
        }
    }

    /// The command `sealite doc history`, which lists the known revisions of a document.
    struct History: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "history",
            abstract: "List the known revisions of a document.",
            discussion: """
                Lists the current revision, then its ancestors, then the revisions of other branches, the latest \
                first. With --json, one object on each line.

                Example: sealite doc history notes.db shopping --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The id of the document.")
        var id: String

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func run(on collection: Collection) throws {
            let revisions = try collection.revisions(id: id)
            guard !revisions.isEmpty else { throw ToolError.noDocument(id, in: collection) }
            for revision in Self.ordered(revisions) { options.output.print(row(revision), json: json(revision)) }
        }

        /// Returns the revisions sorted: the current one, then its ancestors from child to parent, then those of other
        /// branches by descending revision id.
        static func ordered(_ revisions: [RevisionInfo]) -> [RevisionInfo] {
            var rest = Dictionary(revisions.map { ($0.id, $0) }) { first, _ in first }
            var ordered: [RevisionInfo] = []
            var next = revisions.first(where: \.isCurrent)?.id
            while let id = next, let revision = rest.removeValue(forKey: id) {
                ordered.append(revision)
                next = revision.parent
            }
            return ordered + rest.values.sorted { $0.id > $1.id }
        }

        private func marks(_ revision: RevisionInfo) -> [String] {
            [
                (revision.isCurrent, "current"), (revision.isDeleted, "deleted"), (revision.isConflict, "conflict"),
                (revision.hasBody, "body"),
            ].filter(\.0).map(\.1)
        }

        private func row(_ revision: RevisionInfo) -> String {
            ([revision.id.description] + marks(revision)).joined(separator: "  ").withoutControls
        }

        private func json(_ revision: RevisionInfo) -> JSONValue {
            .object(
                [("revision", .text(revision.id.description)), ("parent", revision.parent?.description.json ?? .null)]
                    + marks(revision).map { ($0, .bool(true)) })
        }
    }
}

extension Document {
    /// Returns the JSON object that describes the document on a line of `--json`; `body` is the document's JSON text,
    /// or nil to leave it out.
    func line(body: String?) -> JSONValue {
        [
            "id": id, "revision": revisionID, "sequence": sequence, "deleted": JSONValue.flag(isDeleted),
            "conflict": JSONValue.flag(hasConflict), "document": body.map(JSONValue.number),
        ]
    }
}
