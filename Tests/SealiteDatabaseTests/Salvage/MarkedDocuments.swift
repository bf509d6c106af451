import SealiteCrypto
import SealiteFunctions
import Testing

@testable import SealiteDatabase
@testable import SealiteFile
@testable import SealiteMaintenance

/// A document database in a file of small pages. Every document says its id in every page that its row takes up, so that what must
/// be recovered can be told from the plain pages alone, without any reader of rows.
final class MarkedDocuments {
    let folder: TemporaryFolder
    static let pageSize = 1024
    /// The original documents by collection and id, with current revision and JSON; nil JSON for a tombstone.
    private(set) var documents: [Key: Content] = [:]
    /// The blobs' contents, by the id of the only document that refers to each.
    private(set) var blobs: [Key: [UInt8]] = [:]
    /// The pages that hold a part of a document's row.
    private(set) var pages: [Key: Set<UInt32>] = [:]
    /// The pages of the index over its collection's ids that list a document.
    private(set) var indexPages: [Key: Set<UInt32>] = [:]
    private(set) var pageCount: UInt32 = 0
    /// The first page of each table and index.
    private(set) var roots: [String: UInt32] = [:]
    /// The pages that name the tables.
    private(set) var schemaPages: Set<UInt32> = []

    struct Key: Hashable {
        let collection: String
        let id: String
    }

    struct Content: Equatable {
        let revision: String
        let json: String?
        let isDeleted: Bool
    }

    var path: String { folder.path + "/marked.db" }

    static let collections = ["_default._default", "notes.people", "notes.places"]

    init(documentsEach count: Int = 250) throws {
        folder = try TemporaryFolder()
        var options = CreationOptions()
        options.pageSize = Self.pageSize
        let file = try SealedDatabase.create(path, slot: .rawKey(testKey(7)), options: options)
        let database = try SealiteDatabase.Database(file: file)
        _ = try database.createCollection(name: "empty", scope: "notes")
        _ = try database.createCollection(name: "people", scope: "notes")
        _ = try database.createCollection(name: "places", scope: "notes")
        let remote = try database.remoteNumber("wss://peer.example/notes")
        try database.setLocalValue(store: "checkpoints", name: "cp-test", value: Array("{}".utf8))
        for (index, name) in Self.collections.enumerated() {
            try fill(try Self.collection(name, in: database), "dpq".dropFirst(index).prefix(1) + "", count, remote)
        }
        try Self.collection("notes.people", in: database).createIndex(
            "versions", KeyDefinition(keys: [.path([.member("version")], .queries)]))
        try Self.collection("notes.places", in: database).createIndex(
            "two",
            KeyDefinition(
                keys: [.path([.member("version")], .mongo), .sql("body_key('mongo', body, 'blob', 'length')")],
                condition: "body_type(body, 'version') = 'number'"))
        try Self.collection(Self.collections[0], in: database).createIndex(
            "elements", KeyDefinition(levels: [[.member("version")]]))
        // The rows of its tables look like chunks of blobs.
        try Self.collection("notes.people", in: database).createIndex(
            "words",
            TextDefinition(
                texts: [.init(name: "text", sql: "query_value(body, 'text')")],
                settings: try WordSettings(text: "language english")))
        documents = try Self.contents(of: database)
        try database.close()
        try measure(file)
    }

    static func collection(
        _ name: String, in database: SealiteDatabase.Database
    ) throws -> SealiteDatabase.Collection {
        let parts = name.split(separator: ".").map(String.init)
        return try #require(try database.collection(name: parts[1], scope: parts[0]))
    }

    /// Ids of one length, so that none begins as another does.
    static func id(_ letter: String, _ number: Int) -> String {
        letter + String(repeating: "0", count: 6 - String(number).count) + String(number) + "#"
    }

    /// Documents of one and of several pages, of one and of many revisions, tombstones, conflicts, blobs.
    private func fill(
        _ collection: SealiteDatabase.Collection, _ letter: String, _ count: Int, _ remote: Int
    ) throws {
        for number in 1...count {
            let id = Self.id(letter, number)
            let text = String(repeating: id, count: number % 23 == 0 ? 400 : 9)
            let document = MutableDocument(id: id).setString(text, forKey: "text")
            if number % 25 == 0 {
                let bytes = Self.blob(number, of: letter)
                document.setBlob(Blob(contentType: "text/plain", bytes: bytes), forKey: "blob")
                blobs[Key(collection: collection.fullName, id: id)] = bytes
            }
            try collection.save(document: document)
        }
        for number in stride(from: 3, through: count, by: 7) {
            let document = try #require(try collection.document(id: Self.id(letter, number))).toMutable()
            for version in 1...(number % 2 == 0 ? 30 : 2) {
                try collection.save(document: document.setInt(version, forKey: "version"))
            }
        }
        for number in stride(from: 5, through: count, by: 11) where number % 25 != 0 {
            try collection.delete(id: Self.id(letter, number))
        }
        for number in stride(from: 8, through: count, by: 29) where number % 25 != 0 && number % 11 != 5 {
            let id = Self.id(letter, number)
            // Long and without its name: the tree that keeps it fills pages of its own.
            let json = Array("{\"text\":\"\(String(repeating: "x", count: 1500))\"}".utf8)
            let outcome = try collection.insert(
                IncomingRevision(
                    documentID: id, version: Version("2-bb"), history: [Version("1-aa")], body: json),
                remote: remote)
            #expect(outcome == .conflict)
        }
    }

    private static func blob(_ number: Int, of letter: String) -> [UInt8] {
        let count = number % 50 == 0 ? 150_000 : 3_000
        let pattern = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &+ Int(letter.utf8.first ?? 0)) }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += pattern }
        return Array(bytes.prefix(count))
    }

    private static func contents(of collection: SealiteDatabase.Collection) throws -> [Key: Content] {
        try collection.database.reading { connection in
            var documents: [Key: Content] = [:]
            let statement = try PreparedStatement(
                connection, "SELECT id, revision, body, flags FROM documents_\(collection.number)")
            while try statement.step() {
                let json = try statement.bytes(at: 2).map {
                    String(decoding: try JSONSerializer.text(of: $0), as: UTF8.self)
                }
                documents[Key(collection: collection.fullName, id: statement.text(at: 0))] =
                    Content(
                        revision: try statement.revision(at: 1).description, json: json,
                        isDeleted: statement.int64(at: 3) & 1 != 0)
            }
            return documents
        }
    }

    /// Returns the content of a database, in all collections.
    static func contents(of database: SealiteDatabase.Database) throws -> [Key: Content] {
        var found: [Key: Content] = [:]
        for scope in try database.scopes() {
            for collection in try scope.collections() {
                found.merge(try contents(of: collection)) { first, _ in first }
            }
        }
        return found
    }

    // MARK: Pages

    private func measure(_ file: SealedDatabase) throws {
        let damaged = try DamagedFile(path: path, ring: file.ring, vfs: "unix", log: nil)
        pageCount = damaged.pageCount
        let connection = try file.connect()
        let roots = try Self.roots(connection)
        self.roots = roots
        schemaPages = Set(try Self.pages(of: "sqlite_schema", connection))
        var numbers: [Int64: String] = [:]
        try connection.query("SELECT number, scope || '.' || name FROM collections") {
            (row) throws(SealedFileError) in numbers[row.integer(0)] = row.text(1)
        }
        for (number, name) in numbers {
            for page in try Self.pages(of: "documents_\(number)", connection) {
                for id in Self.ids(in: damaged.pages.text(page) ?? []) {
                    pages[Key(collection: name, id: id), default: []].insert(page)
                }
            }
            for page in try Self.pages(of: "documents_\(number)_id", connection) {
                for id in Self.ids(in: damaged.pages.text(page) ?? []) {
                    indexPages[Key(collection: name, id: id), default: []].insert(page)
                }
            }
        }
    }

    private static func pages(of name: String, _ connection: RawConnection) throws -> [UInt32] {
        var pages: [UInt32] = []
        try connection.query("SELECT pageno FROM dbstat WHERE name = ?1", bind: [.text(name)]) {
            (row) throws(SealedFileError) in pages.append(UInt32(row.integer(0)))
        }
        return pages
    }

    /// Documents of a page in which a document is listed by a page of an index whose root is known: an index of so few
    /// documents has no pages in between. Documents of several pages aren't counted.
    func anchored(without damaged: Set<UInt32>) throws -> Set<Key> {
        var numbers: [String: Int64] = [:]
        for name in Self.collections {
            numbers[name] = name == "_default._default" ? 1 : name.hasSuffix("people") ? 3 : 4
        }
        let single = pages.filter { $0.value.count == 1 && $0.value.isDisjoint(with: damaged) }
        let listed = single.filter { key, _ in
            guard let number = numbers[key.collection], let root = roots["documents_\(number)_id"],
                !damaged.contains(root)
            else { return false }
            return !(indexPages[key]?.isSubset(of: damaged) ?? true)
        }
        let anchors = Set(listed.values.flatMap { $0 })
        return Set(single.filter { !$0.value.isDisjoint(with: anchors) }.keys)
    }

    private static func roots(_ connection: RawConnection) throws -> [String: UInt32] {
        var roots: [String: UInt32] = [:]
        try connection.query("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0") {
            (row) throws(SealedFileError) in roots[row.text(0) ?? ""] = UInt32(row.integer(1))
        }
        return roots
    }

    private static func ids(in page: [UInt8]) -> Set<String> {
        var found: Set<String> = []
        for place in 0..<max(0, page.count - 8) where page[place + 7] == UInt8(ascii: "#") {
            let bytes = page[place..<place + 8]
            guard let letter = bytes.first, "dpq".utf8.contains(letter),
                bytes.dropFirst().prefix(6).allSatisfy({ (48...57).contains($0) })
            else { continue }
            found.insert(String(decoding: bytes, as: UTF8.self))
        }
        return found
    }

    /// The documents whose every page with a part of them is whole.
    func whole(without damaged: Set<UInt32>) -> Set<Key> {
        Set(documents.keys.filter { pages[$0]?.isDisjoint(with: damaged) == true })
    }

    /// Turns a bit in each of these pages.
    func damage(_ pages: Set<UInt32>) throws {
        var bytes = try FileBytes.read(path)
        for page in pages { bytes[HeaderLayout.regionByteCount + Int(page - 1) * Self.pageSize + 33] ^= 0x10 }
        try FileBytes.write(bytes, path)
    }

    /// Salvages into `new.db` and opens what came out.
    func salvage() throws -> (report: DocumentSalvageReport, file: SealedDatabase) {
        let target = folder.path + "/new.db"
        let source = try SealedDatabase.open(path, key: .rawKey(testKey(7)))
        let report = try SealiteDatabase.Database.salvage(source, to: target)
        return (report, try SealedDatabase.open(target, key: .rawKey(testKey(7))))
    }
}
