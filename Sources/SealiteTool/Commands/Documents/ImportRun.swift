import SealiteDatabase

/// An import of documents in progress: the lines of the input, and what was saved so far.
final class ImportRun {
    /// The numbers of documents and blobs that were saved.
    struct Counts {
        var documents = 0
        /// The number of lines whose document is stored already, with equal content.
        var unchanged = 0
        var blobs = 0
    }

    private(set) var counts = Counts()
    private let database: Database
    private let idField: String?
    private let isAtomic: Bool
    private let refusals: RefusedLines?
    private let progress: ProgressReporter
    private let input: InputFile
    private let lines: LineBatches
    /// The name of the collection for the next documents.
    private var collectionName: CollectionArgument
    /// A Boolean value that says whether the file is an export of a whole database.
    private var isWhole = false

    init(
        input: InputFile, database: Database, collection: CollectionArgument, idField: String?, isAtomic: Bool,
        refusals: RefusedLines?, progress: ProgressReporter
    ) throws {
        (self.input, self.database, self.idField, self.isAtomic) = (input, database, idField, isAtomic)
        (self.refusals, self.progress) = (refusals, progress)
        lines = LineBatches(input)
        collectionName = collection
    }

    private struct Item {
        let line: Int
        let bytes: [UInt8]
        let document: MutableDocument
    }

    /// A description of the changes that stay after a signal has stopped the import.
    var effect: String {
        guard !isAtomic, counts.documents + counts.blobs > 0 else { return "nothing was saved" }
        let blobs = counts.blobs > 0 ? " and \(counted(counts.blobs, "blob"))" : ""
        return "\(counted(counts.documents, "document"))\(blobs) of the first lines were saved, and nothing after them"
    }

    /// Saves all documents; stops, after the last transaction that was committed, when the calling thread's
    /// `WriteControl` is stopped.
    func saveAll() throws {
        while let batch = try lines.next(until: isControl) {
            try save(try batch.lines.compactMap { line, bytes in try item(line, bytes) })
            if let control = batch.last { try obey(control.bytes) }
            progress.report("importing", completed: input.position, total: input.byteCount)
        }
    }

    // MARK: Documents

    /// Parses a line, before the transaction that saves it takes the write lock; nil if the line is skipped.
    private func item(_ line: Int, _ bytes: [UInt8]) throws -> Item? {
        try skipping(line, bytes) {
            Item(line: line, bytes: bytes, document: try Self.document(bytes, isWhole ? nil : idField))
        }
    }

    private func save(_ batch: [Item]) throws {
        guard !batch.isEmpty else { return }
        try WriteControl.current?.requireNotStopped()
        var saved = 0
        var unchanged = 0
        try database.write { _ in
            // Created with its first documents, so that an import that saves nothing leaves no empty collection.
            let collection = try database.createCollection(name: collectionName.name, scope: collectionName.scope)
            for item in batch {
                // With a file for refused lines, each document has its own savepoint, so that a skipped line has no
                // effect.
                try skipping(item.line, item.bytes) {
                    guard try !isThere(item.document, in: collection) else {
                        unchanged += 1
                        return
                    }
                    if refusals == nil {
                        try collection.save(document: item.document)
                    } else {
                        try database.write { _ in _ = try collection.save(document: item.document) }
                    }
                    saved += 1
                }
            }
        }
        counts.documents += saved
        counts.unchanged += unchanged
    }

    /// Returns whether the collection has a document with this id and equal content, so that no new revision is needed.
    private func isThere(_ document: MutableDocument, in collection: Collection) throws -> Bool {
        guard let found = try collection.document(id: document.id) else { return false }
        return try found.toJSON() == document.toJSON()
    }

    private static func document(_ line: [UInt8], _ idField: String?) throws -> MutableDocument {
        let name = idField ?? Import.standardIDField
        var object = try JSONBObject(json: line)
        guard let value = object.scalar(forKey: name) else {
            guard idField == nil else {
                throw ToolError(.usage, code: "no-id", "the object has no member \"\(name)\" for the document's id")
            }
            return MutableDocument(object: object)
        }
        let id: String
        switch value {
        case .string(let text): id = text
        case .number(let number) where number.exactInt64 != nil: id = number.description
        default:
            throw ToolError(
                .usage, code: "no-id",
                "the value of the member \"\(name)\", the document's id, is neither a string nor an integer")
        }
        if name.hasPrefix("_") { object.remove(name) }
        return MutableDocument(id: id, object: object)
    }

    /// Runs `body` for a line. Errors of `body` are thrown with the line's number and what is stored; with a file for
    /// refused lines, the line is written to it and skipped instead, and the result is nil.
    private func skipping<Result>(_ line: Int, _ bytes: [UInt8], _ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch {
            // The line isn't the cause if a signal stops the import.
            if WriteControl.current?.isStopped == true { throw error }
            let error = ToolError(any: error)
            if let refusals, error.isOfInput {
                try refusals.add(bytes, number: line, error)
                return nil
            }
            throw failure(error, line)
        }
    }

    /// Returns an error with the number of its line and what is stored; unchanged if the line isn't its cause.
    private func failure(_ error: ToolError, _ line: Int) -> ToolError {
        guard error.isOfInput else { return error }
        let count = counts.documents
        let before =
            count > 0 && !isAtomic
            ? " (\(counted(count, "document")) before it \(count == 1 ? "is" : "are") saved)" : ""
        return ToolError(
            error.status, code: error.code, "line \(line): \(error.message)\(before)",
            hint: error.code == "invalid-json"
                ? "import takes one JSON object on each line; jq -c '.[]' makes such lines of an array" : error.hint)
    }

    // MARK: Whole databases

    private func isControl(_ line: [UInt8], _ number: Int) -> Bool {
        line.starts(with: WholeExport.mark) && (isWhole || number == 1)
    }

    /// Processes a line of the export of a whole database that isn't a document: creates a collection, or stores a
    /// blob.
    private func obey(_ bytes: [UInt8]) throws {
        do {
            switch try WholeExport.Line(bytes) {
            case .version: isWhole = true
            case .collection(let name):
                // Created at once: a whole database has its empty collections too.
                _ = try database.createCollection(name: name.name, scope: name.scope)
                collectionName = name
            case .blob(let digest, let length): try store(digest, length)
            case .part:
                throw ToolError(
                    .failed, code: "invalid-export",
                    "the line is a part of a blob, but there is no blob before it that lacks a part")
            }
        } catch {
            if WriteControl.current?.isStopped == true { throw error }
            // The last line that was read may be a part of a blob.
            throw failure(ToolError(any: error), lines.lineNumber)
        }
    }

    /// Stores a blob, whose content the next lines contain.
    private func store(_ digest: String, _ length: UInt64) throws {
        let parts = BlobParts(lines, length: length)
        let blob = Blob(contentType: nil, contentStream: { _ in try parts.next() })
        do {
            try database.saveBlob(blob, expecting: digest)
        } catch let error as DatabaseError where error.code == .blobMismatch {
            throw ToolError(
                .failed, code: "blob-mismatch", "the content of the blob \(digest) doesn't match this digest")
        }
        counts.blobs += 1
    }
}

extension ToolError {
    /// A Boolean value that says whether a line of the input is the cause, and not, for example, the disk.
    fileprivate var isOfInput: Bool { status == .failed || status == .usage }
}

/// The content of a blob in the lines of an export.
// The blob reads the lines on one thread at a time.
private final class BlobParts: @unchecked Sendable {
    private let lines: LineBatches
    private var left: UInt64

    init(_ lines: LineBatches, length: UInt64) { (self.lines, left) = (lines, length) }

    /// Returns the next bytes of the blob; an empty array at the end.
    func next() throws -> [UInt8] {
        guard left > 0 else { return [] }
        guard let line = try lines.line(), case .part(let bytes) = try WholeExport.Line(line), !bytes.isEmpty,
            bytes.count <= left
        else {
            throw ToolError(
                .failed, code: "invalid-export",
                "the parts of the blob have fewer or more bytes than its length says, or a part is empty")
        }
        left -= UInt64(bytes.count)
        return bytes
    }
}

/// The nonblank lines of an input, in batches of the size of one transaction.
final class LineBatches {
    private let input: InputFile
    /// The number of the line that was read last, counted from 1.
    private(set) var lineNumber = 0
    private static let limit = 1000
    private static let byteLimit = 8 << 20

    init(_ input: InputFile) { self.input = input }

    /// The lines of a batch with their numbers, counted from 1, and the line that ended the batch, which isn't one of
    /// `lines`; nil if the batch ended at its maximum size or at the end of the input.
    struct Batch {
        var lines: [(line: Int, bytes: [UInt8])] = []
        var last: (line: Int, bytes: [UInt8])?
    }

    /// Returns the next batch, which ends at its maximum size, at the end of the input, or with a line for which
    /// `isLast` returns true (`Batch.last`); nil after the last line of the input.
    func next(until isLast: (_ bytes: [UInt8], _ line: Int) -> Bool) throws -> Batch? {
        var batch = Batch()
        var byteCount = 0
        while batch.lines.count < Self.limit, byteCount < Self.byteLimit, let line = try line() {
            if isLast(line, lineNumber) {
                batch.last = (lineNumber, line)
                return batch
            }
            batch.lines.append((lineNumber, line))
            byteCount += line.count
        }
        return batch.lines.isEmpty ? nil : batch
    }

    /// Returns the results of `read` for the lines of the next batch, each with its line number; nil after the last
    /// line of the input.
    func next<Item>(
        _ read: (_ line: Int, _ bytes: [UInt8]) throws -> Item
    ) throws -> [(line: Int, item: Item)]? {
        try next { _, _ in false }?.lines.map { ($0.line, try read($0.line, $0.bytes)) }
    }

    /// Returns the next nonblank line of the input; nil after the last one.
    func line() throws -> [UInt8]? {
        while let line = try input.line() {
            lineNumber += 1
            if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { return line }
        }
        return nil
    }
}
