import ArgumentParser
import SealiteDatabase

/// The command `sealite blob`, whose subcommands store and read blobs of documents.
struct BlobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blob",
        abstract: "Store and read blobs of documents.",
        discussion: "Example: sealite blob put notes.db ana photo ana.jpg --type image/jpeg --key-file notes.key",
        subcommands: [Put.self, Get.self])

    /// The command `sealite blob put`, which stores a file as a blob and makes it a member of a document.
    struct Put: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "put",
            abstract: "Store a file as a blob and make it a member of a document.",
            discussion: """
                The document must exist, unless --create is given. Equal content is stored only once. Prints the \
                digest and the length of the content.

                Example: sealite blob put notes.db ana photo ana.jpg --type image/jpeg --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The id of the document.")
        var id: String

        @Argument(help: "The document's member that describes the blob.")
        var member: String

        @Argument(help: "The file, or - for standard input.", completion: .file())
        var file: String

        @Option("type", help: "The media type.")
        var type: String?

        @Flag(help: "Create the document if it doesn't exist.")
        var create = false

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws { try options.key.requireOneReader(("the content", file == "-")) }

        func run(on collection: Collection) throws {
            let input = try InputFile(file, besides: place.database)
            guard try create || collection.document(id: id) != nil else { throw missing(collection) }
            var change = StoppableChange("storing", json: options.output.json)
            change.unit = .bytes
            let source = BlobSource(input, change.control)
            let blob = source.blob(ofType: type)
            let saved = try change.run {
                // The blob is stored before the short transaction, so that reading the file doesn't block other
                // writers.
                try collection.database.saveBlob(blob: blob)
                return try collection.database.write { _ in
                    let found = try collection.document(id: id)?.toMutable()
                    guard let document = found ?? (create ? MutableDocument(id: id) : nil) else {
                        throw missing(collection)
                    }
                    return try collection.save(document: document.setBlob(blob, forKey: member))
                }
            }
            let digest = blob.digest ?? ""
            options.output.print(
                "\(digest)\t\(blob.length)",
                json: ["digest": digest, "length": blob.length, "id": saved.id, "revision": saved.revisionID])
        }

        private func missing(_ collection: Collection) -> ToolError {
            var error = ToolError.noDocument(id, in: collection)
            error.hint = "make the document with --create; 'sealite doc list' lists those there are"
            return error
        }
    }

    /// The command `sealite blob get`, which writes a document's blob to a file, in clear.
    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Write a document's blob to a file, in clear.",
            discussion: """
                The file is written completely or not at all, with mode 0600.

                Example: sealite blob get notes.db ana photo ana.jpg --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The id of the document.")
        var id: String

        @Argument(help: "The document's member that describes the blob.")
        var member: String

        @OptionGroup var destination: OutputLocation

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            let output = try OutputFile(destination.path)
            var length: UInt64 = 0
            try options.withDatabase(place.database) { database in
                // One snapshot, in which the content stays readable even if another process deletes it meanwhile.
                length = try database.read { try write(to: output, from: database) }
                try output.finish()
            }
            guard destination.path != "-" else { return }
            options.output.print("wrote \(counted(length, "byte"))", json: ["length": length])
        }

        /// Writes the content, and returns its length in bytes.
        private func write(to output: OutputFile, from database: Database) throws -> UInt64 {
            let collection = try collection.find(in: database)
            guard let document = try collection.document(id: id) else {
                throw ToolError.noDocument(id, in: collection)
            }
            guard let blob = document.blob(forKey: member) else {
                throw ToolError(
                    .noInput, code: "no-such-blob", "the document \"\(id)\" has no blob in its member \"\(member)\"")
            }
            var reader = try blob.makeReader()
            let control = WriteControl()
            let shown =
                destination.path == "-" && Console.outputIsTerminal
                ? nil
                : ElapsedTime.begin(
                    "writing", json: options.output.json && destination.path != "-",
                    extent: { control.extent(in: .bytes) })
            defer { shown?.finish() }
            var count = 0
            while true {
                let piece = try reader.read(upTo: 1 << 16)
                if piece.isEmpty { return reader.length }
                try output.add(piece)
                count += piece.count
                control.set(done: count, of: Int(clamping: reader.length))
            }
        }
    }
}

/// A file that is the source of a blob's content.
// The blob reads the file on one thread at a time.
private final class BlobSource: @unchecked Sendable {
    private let input: InputFile
    private let control: WriteControl

    /// Creates a source; `control` counts the bytes that were read, and stops the reading.
    init(_ input: InputFile, _ control: WriteControl) { (self.input, self.control) = (input, control) }

    /// Returns a blob of the content.
    func blob(ofType type: String?) -> Blob {
        guard input.byteCount > 0 else { return Blob(contentType: type, contentStream: { try self.next($0) }) }
        return Blob(
            contentType: type, length: UInt64(input.byteCount), contentStream: { try self.next($0) },
            rewind: { try self.input.rewind() })
    }

    private func next(_ count: Int) throws -> [UInt8] {
        try control.requireNotStopped()
        let piece = try input.piece(count)
        control.set(done: Int(input.position), of: input.byteCount > 0 ? Int(input.byteCount) : nil)
        return piece
    }
}
