import Foundation
import SealiteDatabase
import SealiteFile
import SealiteModel
import SealiteMongo
import SealiteQuery
import SealiteRevisions
import SealiteValues
import Testing

/// `Fixtures/Documents/stored-forms.txt` has a line for each Swift type and each API that writes it, and a column for each way to read
/// it. To write it anew after a change that is meant: SEALITE_GOLDEN=write, then read the difference.
@Suite("the matrix of stored forms")
struct StoredFormMatrixTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Documents/stored-forms.txt")
        .path

    @Test("each Swift type is stored and read by each API and language as the committed matrix says")
    func matrix() async throws {
        let lines = try await Matrix().lines()
        guard ProcessInfo.processInfo.environment["SEALITE_GOLDEN"] != "write" else {
            let text = (Matrix.heading + lines).joined(separator: "\n") + "\n"
            return try text.write(toFile: Self.file, atomically: true, encoding: .utf8)
        }
        let known = try String(contentsOfFile: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
        #expect(known.count == lines.count)
        for (line, wanted) in zip(lines, known) where line != wanted {
            Issue.record("the matrix has\n  \(wanted)\nbut the result is\n  \(line)")
        }
    }

    private struct Event: Codable, Identifiable {
        var id: String
        var at: Date
    }

    @Test("SQL++ compares and sorts dates of each form with parameters of this form, and of no other")
    func parameters() throws {
        let place = try Workplace()
        try place.makeDatabase()
        let database = try Database(file: try place.open())
        let events = try database.createCollection(name: "events")
        let times = [-1, 0, 0.5, 1, 1_795_233_963.123]
        for form in [ValueForm.typed, .text] {
            for (index, time) in times.enumerated().reversed() {
                let event = Event(id: "\(form)\(index)", at: Date(timeIntervalSince1970: time))
                try events.save(from: event, form: form)
            }
        }
        for hasIndex in [false, true] {
            if hasIndex { try events.createIndex(withName: "at", config: ValueIndexConfiguration(["at"])) }
            for form in [ValueForm.typed, .text] {
                let date = Date(timeIntervalSince1970: 0.5)
                let last = Date(timeIntervalSince1970: 2e9)
                let query = try database.createQuery(
                    "SELECT META().id FROM events WHERE at BETWEEN $first AND $last ORDER BY at")
                query.parameters = Parameters().setDate(date, forName: "first", form: form)
                    .setDate(last, forName: "last", form: form)
                let ids = try query.execute().allResults().compactMap { $0.string(at: 0) }
                #expect(ids == (2...4).map { "\(form)\($0)" })
                let interpolated = try database.createQuery(
                    "SELECT META().id FROM events WHERE at = \(date, form: form)")
                #expect(try interpolated.execute().allResults().map { $0.string(at: 0) } == ["\(form)2"])
            }
        }
        try database.close()
    }
}

/// A database with a document for each row and writer, in one collection, and all that is read from it.
private final class Matrix {
    /// The APIs that write.
    private enum Writer: String, CaseIterable {
        case codable = "save(from:)"
        case text = "save(from:form: .text)"
        case setter
        case model = "ModelStore"
        case mongo = "MongoDB, Codable"
        case bson = "MongoDB, BSON"
        case imported = "import"
    }

    static let heading = [
        "# How Swift's types are stored by each API, and what each language reads. Written by StoredFormMatrixTests (Tests/SealiteToolTests) with",
        "# SEALITE_GOLDEN=write. \"=\" is the text of the column `stored`, \"same\" the value that was written, \"-\" nothing (no such call, or MISSING).",
        "# type | writer | stored | export | peer | getter | Codable | SQL++ | TYPE() | STR_TO_MILLIS | MILLIS_TO_UTC | filter $eq | $type | MongoDB, Codable | model",
    ]

    private let place: Workplace
    private let plain: Database
    private let modelled: Database
    private let collection: SealiteDatabase.Collection
    private let rows = StoredFormRows.all

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        plain = try Database(file: try place.open())
        modelled = try Database(file: try place.open())
        collection = try plain.createCollection(name: "everything")
    }

    deinit {
        try? plain.close()
        try? modelled.close()
    }

    private static func id(_ row: any StoredFormRow, _ writer: Writer) -> String { "\(row.name), \(writer.rawValue)" }

    private func store(_ row: any StoredFormRow) throws -> ModelStore {
        try ModelStore.open(modelled, ModelConfiguration(types: [row.model]))
    }

    func lines() async throws -> [String] {
        var refusals = try importLines()
        for row in rows {
            for writer in Writer.allCases where writer != .imported {
                do {
                    let isWritten = try await write(row, writer)
                    if !isWritten { refusals[Self.id(row, writer)] = "no such call" }
                } catch {
                    refusals[Self.id(row, writer)] = "refused: \(Self.name(of: error))"
                }
            }
        }
        let exported = try exportedLines()
        let queried = try queriedColumns()
        let types = try await types()
        var lines: [String] = []
        for row in rows {
            let found = try await found(row)
            for writer in Writer.allCases {
                let id = Self.id(row, writer)
                let start = [row.name, writer.rawValue]
                guard let document = try await collection.document(id: id) else {
                    lines.append((start + [refusals[id] ?? "nothing"]).joined(separator: " | "))
                    continue
                }
                let stored = try document.toJSON()
                let cells = [
                    try Self.value(in: stored), exported[id] == stored ? "=" : exported[id] ?? "nothing",
                    try peerBody(id) == stored ? "=" : try peerBody(id), row.readByGetter(document),
                    Self.cell { try row.decode(document) },
                ]
                let values = cells + (queried[id] ?? []).map { $0 == cells[0] ? "=" : $0 }
                let mongo: String
                do { mongo = try await row.findMongo(id, in: collection) } catch { mongo = Self.name(of: error) }
                let rest = [
                    row.bson == nil ? "-" : found.contains(id) ? "found" : "not found", types[id] ?? "-", mongo,
                    Self.cell { try row.readModel(id, stored, try store(row), plain) },
                ]
                lines.append((start + values + rest).joined(separator: " | "))
            }
        }
        return lines
    }

    // MARK: - Writing

    /// Writes the row's value; returns false if the API has no call for its type.
    private func write(_ row: any StoredFormRow, _ writer: Writer) async throws -> Bool {
        let id = Self.id(row, writer)
        switch writer {
        case .codable: try row.saveCodable(id, in: collection, form: .typed)
        case .text: try row.saveCodable(id, in: collection, form: .text)
        case .setter: return try row.saveBySetter(id, in: collection)
        case .model:
            let json = try row.saveModel(id) { try self.store(row) }
            try await collection.save(document: MutableDocument(id: id, json: json))
        case .mongo: try await row.insertMongo(id, in: collection)
        case .bson:
            guard row.name == "missing" || row.bson != nil else { return false }
            var document: MongoDocument = ["_id": .string(id)]
            document["v"] = row.bson
            try await MongoCollection<MongoDocument>(collection).insertOne(document)
        case .imported: break
        }
        return true
    }

    /// Imports a line for each row; returns the refusals.
    private func importLines() throws -> [String: String] {
        let lines = rows.compactMap { row in
            row.imported.map { "{\"_id\":\"\(Self.id(row, .imported))\"\($0)}\n" }
        }
        let run = try place.sealite(
            "import", "a.db", "-", "--collection", "everything", "--key-file", "key", input: lines.joined())
        #expect(run.status == 0, "\(run)")
        return [:]
    }

    // MARK: - Reading

    /// Returns the text of the member `v` of an object, which is its only member; "-" if there is none.
    private static func value(in json: String) throws -> String {
        guard json.hasPrefix("{\"v\":") else { return json == "{}" ? "-" : json }
        return String(json.dropFirst(5).dropLast())
    }

    private static func cell(_ body: () throws -> String) -> String {
        do { return try body() } catch { return name(of: error) }
    }

    /// Returns a short name of an error, without the texts that are meant for people.
    private static func name(of error: any Error) -> String {
        switch error {
        case let error as DatabaseError: error.code.rawValue
        case let error as MongoError: error.codeName
        // The name of the case of an enumeration.
        default: Mirror(reflecting: error).children.first?.label ?? "\(type(of: error))"
        }
    }

    /// Returns the exported lines without their ids, by the ids.
    private func exportedLines() throws -> [String: String] {
        let run = try place.sealite("export", "a.db", "-", "--collection", "everything", "--key-file", "key")
        var found: [String: String] = [:]
        for line in run.out.split(separator: "\n") {
            let object = try #require(Outcome.object(String(line)))
            let id = try #require(object["_id"] as? String)
            let head = "{\"_id\":\"\(id)\""
            try #require(line.hasPrefix(head))
            let rest = line.dropFirst(head.count)
            found[id] = rest.hasPrefix(",") ? "{" + rest.dropFirst() : "{}"
        }
        return found
    }

    /// Returns the body that replication sends to a peer.
    private func peerBody(_ id: String) throws -> String {
        let replicated = ReplicatedCollection(collection: collection, remote: nil)
        guard let change = try replicated.change(id: id),
            case .found(let revision) = try replicated.revision(
                RevisionQuery(documentID: id, version: change.version, maxHistory: 1))
        else { return "nothing" }
        return String(decoding: revision.body, as: UTF8.self)
    }

    /// Returns the values of the columns of SQL++, by the ids.
    private func queriedColumns() throws -> [String: [String]] {
        let query = try plain.createQuery(
            "SELECT META().id, v, TYPE(v), STR_TO_MILLIS(v), MILLIS_TO_UTC(v) FROM everything")
        var found: [String: [String]] = [:]
        let results = try query.execute()
        while let result = try results.nextResult() {
            let id = try #require(result.string(at: 0))
            found[id] = try (1...4).map { index in
                guard let value = result.value(at: index) else { return "-" }
                return try Self.value(in: DictionaryObject([("v", value)]).toJSON())
            }
        }
        return found
    }

    /// Returns the names of the types in MongoDB's terms, by the ids.
    private func types() async throws -> [String: String] {
        let pipeline: [MongoDocument] = [["$project": ["t": ["$type": "$v"]]]]
        var found: [String: String] = [:]
        for document in try await MongoCollection<MongoDocument>(collection).aggregate(pipeline).toArray() {
            guard case .string(let id)? = document["_id"], case .string(let type)? = document["t"] else { continue }
            found[id] = type
        }
        return found
    }

    /// Returns the ids of the documents that a filter on the row's value finds.
    private func found(_ row: any StoredFormRow) async throws -> Set<String> {
        guard let value = row.bson else { return [] }
        let documents = try await MongoCollection<MongoDocument>(collection).find(["v": ["$eq": value]]).toArray()
        return Set(documents.compactMap { if case .string(let id)? = $0["_id"] { id } else { nil } })
    }
}
