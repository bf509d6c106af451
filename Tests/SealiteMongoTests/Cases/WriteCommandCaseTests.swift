import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the cases of writing commands")
struct WriteCommandCaseTests {
    /// Cases of collections that are spread over servers by a key of their documents, and cases whose collection lacks a document that the
    /// command then finds.
    static let contradictions = [
        "cmd-0055": "the document 3 comes from nowhere", "cmd-0083": "the document 1002 comes from nowhere",
        "cmd-0101": "the document 1 comes from nowhere",
        "cmd-0074": "sharded", "cmd-0075": "sharded", "cmd-0079": "sharded", "cmd-0080": "sharded",
    ]

    @Test("documents in memory are changed as the cases have it")
    func documentsInMemory() throws {
        try CaseFile("write-command").run(contradictions: Self.contradictions) { one in
            let store = MemoryStore((one["before"]?.asArray ?? []).compactMap(\.asDocument))
            return Self.difference(of: one, store) { store.documents }
        }
    }

    @Test("collections of a sealed database are changed as the cases have it")
    func collections() throws {
        let test = try TestStore()
        defer { withExtendedLifetime(test) {} }
        try CaseFile("write-command").run(contradictions: Self.contradictions) { one in
            Self.difference(of: one, test, one["before"]) { store in
                Self.difference(of: one, store) { try store.documents() }
            }
        }
    }

    /// Runs a case on a new collection with documents, in a transaction.
    static func difference(
        of one: CaseFile.Case, _ test: TestStore, _ documents: BSON?, _ body: (CollectionDocuments) -> String?
    ) -> String? {
        do {
            let database = test.store.database
            let store = CollectionDocuments(try database.createCollection(name: one.id))
            return try database.write { _ in
                for document in (documents?.asArray ?? []).compactMap(\.asDocument) { try store.insert(document) }
                return body(store)
            }
        } catch {
            return "fails: \(error)"
        }
    }

    static func difference(
        of one: CaseFile.Case, _ store: some DocumentStore, _ documents: () throws -> [MongoDocument]
    ) -> String? {
        let command = one["arguments"]?.asDocument ?? [:]
        do {
            let reply = try Command(command).run(store)
            if one.expectsError { return "\(command) is accepted" }
            if let reason = difference(reply, one["response"]?.asDocument ?? [:]) { return "\(command) \(reason)" }
            guard let after = one["after"]?.asArray else { return nil }
            let found = try documents().map(BSON.document)
            guard CaseComparison.areEqualSets(found, after) else {
                return "\(command) leaves \(BSON.array(found)), not \(BSON.array(after))"
            }
            return nil
        } catch {
            return one.expectsError ? nil : "\(command) fails: \(error)"
        }
    }

    /// The members of a reply in any order; of errors the places alone count.
    private static func difference(_ reply: MongoDocument, _ expected: MongoDocument) -> String? {
        guard Set(reply.keys) == Set(expected.keys) else { return "replies \(reply), not \(expected)" }
        for member in expected {
            let value = reply[member.key] ?? .undefined
            let isEqual =
                member.key == "writeErrors"
                ? places(value) == places(member.value) : CaseComparison.areEqual(value, member.value)
            guard isEqual else { return "replies \(reply), not \(expected)" }
        }
        return nil
    }

    private static func places(_ errors: BSON) -> [Int?] {
        (errors.asArray ?? []).map { $0.asDocument?["index"]?.asInt }
    }
}

extension CollectionDocuments {
    /// All documents.
    func documents() throws -> [MongoDocument] {
        var documents: [MongoDocument] = []
        try visit(Filter(.all([])), isReversed: false) { row, _ in
            documents.append(row.document)
            return true
        }
        return documents
    }
}
