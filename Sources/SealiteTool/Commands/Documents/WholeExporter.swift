import SealiteCrypto
import SealiteDatabase

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
                let name = CollectionName(scope: collection.scopeName, name: collection.name)
                try output.add(WholeExport.Line.collection(name).encoded)
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
