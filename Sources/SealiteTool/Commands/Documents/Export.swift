import ArgumentParser
import SealiteBase
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

    @OptionGroup var place: DatabaseArgument

    @OptionGroup var destination: OutputLocation

    @Option("name", help: "The member in which ids are written. Default: _id.")
    var idField: String?

    @Flag(help: "Don't write ids: each line is the document as it is stored.")
    var noIds = false

    @Flag(help: "Sort by the sequence of the last change, not by id.")
    var bySequence = false

    @Flag(help: "Write all collections, and the content of blobs.")
    var all = false

    @Option("name", help: "The collection: its name, or SCOPE.NAME. Default: _default.")
    var collection: CollectionArgument?

    @OptionGroup var options: DocumentOptions

    func validate() throws {
        try ValidationError.requireOne(("--no-ids", noIds), ("--id-field", idField != nil))
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
        try options.withDatabase(place.database) { database in
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
        options.output.confirm(
            "exported \(counted(count, "document"))" + (blobCount > 0 ? " and \(counted(blobCount, "blob"))" : ""),
            json: ["exported": count, "blobs": all ? blobCount : nil])
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

/// Writes a whole database to an output file: its collections, documents and blobs.
struct WholeExporter {
    let output: OutputFile
    let progress: ProgressReporter
    private(set) var documentCount: Int64 = 0
    private(set) var blobCount: Int64 = 0
    private var written: Set<String> = []

    init(_ output: OutputFile, _ progress: ProgressReporter) { (self.output, self.progress) = (output, progress) }

    /// Writes all collections, documents and blobs of the database to the output file. To export one consistent state,
    /// call it within `Database.read`.
    mutating func write(_ database: Database) throws {
        let total = Int64(clamping: try database.statistics().collections.reduce(0) { $0 + $1.documentCount })
        try output.add(WholeExport.Line.version.encoded)
        for scope in try database.scopes() {
            for collection in try scope.collections() {
                try output.add(WholeExport.Line.collection(CollectionArgument(collection)).encoded)
                try collection.forEachDocument(in: DocumentRange()) { document in
                    try write(document, database)
                    documentCount += 1
                    progress.report("exporting", completed: documentCount, total: total)
                }
            }
        }
    }

    private mutating func write(_ document: Document, _ database: Database) throws {
        var blobs: [Blob] = []
        for key in document.keys { if let value = document.value(forKey: key) { Blob.collect(value, into: &blobs) } }
        for blob in blobs {
            guard let digest = blob.digest, written.insert(digest).inserted else { continue }
            try write(blob, digest)
        }
        try output.add(try Export.line(document, idField: Import.standardIDField))
    }

    private mutating func write(_ blob: Blob, _ digest: String) throws {
        var reader = try blob.makeReader()
        try output.add(WholeExport.Line.blob(digest: digest, length: reader.length).encoded)
        var part: [UInt8] = []
        while true {
            let piece = try reader.read(upTo: WholeExport.partByteCount - part.count)
            part += piece
            if piece.isEmpty || part.count == WholeExport.partByteCount {
                if !part.isEmpty { try output.add(WholeExport.Line.part(part).encoded) }
                part = []
            }
            if piece.isEmpty { break }
        }
        blobCount += 1
    }
}

/// The form of an export of a whole database: lines of JSON, of which those that aren't documents begin with the member
/// `_sealite`.
///
/// The first line has the version. A line for a collection comes before its documents, and a blob with its parts before
/// the first document that contains it. Documents are in the form of an export of one collection.
enum WholeExport {
    /// The beginning of the lines that aren't documents. A document's line begins with its id.
    static let mark = Array(#"{"_sealite":"#.utf8)
    private static let version: Int64 = 1
    /// The size of a blob's part in bytes, before it is encoded in base64: a multiple of 3, so that only the last part
    /// has padding.
    static let partByteCount = 3 << 18

    enum Line {
        case version
        case collection(CollectionArgument)
        /// A blob, with its digest and its length in bytes. The lines of its parts follow.
        case blob(digest: String, length: UInt64)
        case part([UInt8])

        /// Parses a line that begins with the member `_sealite`.
        init(_ bytes: [UInt8]) throws {
            let object = try JSONBObject(json: bytes)
            switch object.scalar(forKey: "_sealite")?.string {
            case "export":
                guard object.scalar(forKey: "version")?.int64 == WholeExport.version else {
                    throw WholeExport.invalid(
                        "the export's version isn't \(WholeExport.version), the only one that this program can import",
                        hint: "if a newer 'sealite' wrote the export, import it with that one")
                }
                self = .version
            case "collection":
                guard let name = object.scalar(forKey: "name")?.string.flatMap(CollectionArgument.init(argument:))
                else {
                    throw WholeExport.invalid("the line of a collection has no valid \"name\"")
                }
                self = .collection(name)
            case "blob":
                guard let digest = object.scalar(forKey: "digest")?.string,
                    let length = object.scalar(forKey: "length")?.int64, length >= 0
                else { throw WholeExport.invalid("the line of a blob has no valid \"digest\" or \"length\"") }
                self = .blob(digest: digest, length: UInt64(length))
            case "part":
                guard let data = object.scalar(forKey: "data")?.string.flatMap({ Base64.decode($0) }) else {
                    throw WholeExport.invalid("the line of a part of a blob has no Base64 text as \"data\"")
                }
                self = .part(data)
            default: throw WholeExport.invalid("\"_sealite\" isn't \"export\", \"collection\", \"blob\" or \"part\"")
            }
        }

        /// The bytes of the line, with its line end.
        var encoded: [UInt8] {
            let line: JSONValue =
                switch self {
                case .version: ["_sealite": "export", "version": WholeExport.version]
                case .collection(let name): ["_sealite": "collection", "name": name.description]
                case .blob(let digest, let length): ["_sealite": "blob", "digest": digest, "length": length]
                case .part(let bytes): ["_sealite": "part", "data": Base64.encode(bytes)]
                }
            return Array((line.encoded + "\n").utf8)
        }
    }

    private static func invalid(
        _ reason: String, hint: String = "import the file as 'sealite export --all' wrote it, unchanged"
    ) -> ToolError {
        ToolError(.failed, code: "invalid-export", reason, hint: hint)
    }
}
