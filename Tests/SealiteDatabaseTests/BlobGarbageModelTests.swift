import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

/// Random changes of documents with blobs, beside a model of what may be deleted: after each of them every content to which
/// a stored revision or an open `Blob` refers is readable, and after a day nothing else is left.
@Suite("which blobs random operations leave")
struct BlobGarbageModelTests {
    private struct Run {
        let time = ManualTime()
        let folder: TemporaryFolder
        /// Two objects on the file, as two processes have it open.
        var tests: [TestDatabase]
        var generator: SeededRandom
        var opened: [(blob: Blob, bytes: [UInt8])] = []
        var revisionCount = 0
        let remote: Int

        init(_ generator: SeededRandom) throws {
            self.generator = generator
            var configuration = DatabaseConfiguration()
            configuration.time = time
            let first = try TestDatabase(configuration)
            folder = first.folder
            tests = [first, try first.reopened(configuration)]
            remote = try first.database.remoteNumber("ws://127.0.0.1/db")
        }

        var context: Comment { "SEALITE_SEED=\(TestSeed.run)" }

        mutating func database() -> SealiteDatabase.Database { tests[generator.below(2)].database }

        /// One of a few contents, so that most are shared by several documents: some of several chunks, one empty.
        mutating func content() -> [UInt8] {
            let kind = generator.below(8)
            return [UInt8](repeating: UInt8(kind), count: [0, 1, 100, 65_536, 65_537, 150_000, 3, 9][kind])
        }

        mutating func id() -> String { "doc-\(generator.below(6))" }

        mutating func collection() throws -> SealiteDatabase.Collection {
            let database = database()
            guard generator.below(4) == 0 else { return try database.defaultCollection() }
            return try database.createCollection(name: "other")
        }

        mutating func step() throws {
            switch generator.below(100) {
            case 0..<25: try save()
            case 25..<35:
                if let document = try collection().document(id: id()) {
                    try document.collection.purge(id: document.id)
                }
            case 35..<42:
                if let document = try collection().document(id: id()) {
                    try document.collection.delete(document: document)
                }
            case 42..<58: try receive()
            case 58..<64: try resolve()
            case 64..<68: try push()
            case 68..<72: try database().saveBlob(blob: Blob(contentType: nil, bytes: content()))
            case 72..<78: try open()
            case 78..<82: if !opened.isEmpty { opened.remove(at: generator.below(opened.count)) }
            case 82..<84: try database().deleteCollection(name: "other")
            case 84..<92: try database().collectAllBlobs()
            case 92: try database().performMaintenance(type: .compact)
            case 93: try leaveUnfinished()
            default: time.advance(by: .seconds(Int64(generator.below(40_000))))
            }
        }

        mutating func save() throws {
            let collection = try collection()
            let document = MutableDocument(id: id()).setInt(generator.below(1000), forKey: "n")
            for key in ["x", "y"].prefix(generator.below(3)) {
                document.setBlob(Blob(contentType: nil, bytes: content()), forKey: key)
            }
            try collection.save(document: document)
        }

        /// A peer's revision, on top of the current one or beside it.
        mutating func receive() throws {
            let collection = try collection()
            let id = id()
            let blob = Blob(contentType: nil, bytes: content())
            try collection.database.saveBlob(blob: blob)
            revisionCount += 1
            let digits = String(revisionCount, radix: 16)
            let name = String(repeating: "0", count: 8 - digits.count) + digits
            let known = try collection.revisions(id: id).map(\.id)
            let parent = known.isEmpty ? nil : known[generator.below(min(known.count, 2))]
            let generation = (parent?.generation ?? 0) + 1
            _ = try collection.insert(
                IncomingRevision(
                    documentID: id, version: Version("\(generation)-\(name)"),
                    history: parent.map { [Version($0)] } ?? [], isDeleted: generator.below(8) == 0,
                    body: Array("{\"x\":\(try blob.toJSON())}".utf8)), remote: remote)
        }

        mutating func resolve() throws {
            let collection = try collection()
            for id in try collection.conflictedDocumentIDs() {
                guard let conflict = try collection.revisions(id: id).first(where: { $0.isConflict }) else { continue }
                try collection.resolveConflict(
                    id: id, revision: conflict.id, expecting: nil,
                    resolution: generator.below(2) == 0 ? .local : .remote)
            }
        }

        /// The peer has got the current revision.
        mutating func push() throws {
            let collection = try collection()
            guard let document = try collection.document(id: id()) else { return }
            try collection.setRemoteRevision(id: document.id, revision: document.revision, remote: remote)
        }

        mutating func open() throws {
            guard let document = try collection().document(id: id()), let blob = document.blob(forKey: "x") else {
                return
            }
            opened.append((blob, [UInt8](try blob.content)))
        }

        mutating func leaveUnfinished() throws {
            let database = database()
            var writer: BlobWriter? = try BlobWriter(spansTransactions: true)
            try writer?.add([UInt8](repeating: 99, count: 200_000))
            _ = try database.writer.perform(database) { try writer?.flush($0.blobs, atEnd: false) }
        }

        /// The contents to which a stored revision refers, all of which are read.
        func referred() throws -> Set<[UInt8]> {
            var found: Set<[UInt8]> = []
            let database = tests[0].database
            for collection in try database.collections() {
                for change in try collection.changes(since: 0, limit: 1000) {
                    for revision in try collection.revisions(id: change.id) {
                        let document = try collection.document(id: change.id, revision: revision.id)
                        for key in ["x", "y"] {
                            guard let blob = document?.blob(forKey: key) else { continue }
                            found.insert([UInt8](try blob.content))
                        }
                    }
                }
            }
            return found
        }

        func check() throws {
            _ = try referred()
            for (blob, bytes) in opened { #expect(try blob.content == Data(bytes), context) }
        }

        /// Lets a day pass, after which only what is referred to and what is open is left.
        func checkAfterADay() throws {
            time.advance(by: .seconds(86_401))
            try tests[1].database.collectAllBlobs()
            // What the first pass has just found due, such as what was open, is due once more.
            let left = try referred().union(opened.map(\.bytes))
            let database = tests[0].database
            #expect(try database.scalar(sql: "SELECT count(*) FROM blobs") == Int64(left.count), context)
            #expect(
                try database.scalar(sql: "SELECT count(*) FROM blob_chunks")
                    == left.reduce(0) { $0 + Int64(($1.count + 65_535) / 65_536) }, context)
            #expect(try database.integrityFindings() == [], context)
        }
    }

    @Test(
        "a thousand random steps, a hundred thousand in the soak, leave what is referred to, and only that after a day")
    func randomSteps() throws {
        let steps = TestEnvironment.steps ?? (TestEnvironment.isSoak ? 100_000 : 1000)
        var run = try Run(SeededRandom())
        for index in 1...steps {
            try run.step()
            try run.check()
            if index % 50 == 0 { try run.checkAfterADay() }
        }
    }
}
