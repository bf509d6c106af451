import SealiteValues

@testable import SealiteMongo

/// Documents in memory, in the order in which they were added.
final class MemoryStore: DocumentStore {
    private(set) var documents: [MongoDocument]

    init(_ documents: [MongoDocument]) {
        self.documents = documents.map { document in
            var document = document
            if let id = document["_id"] { document.putFirst("_id", id) }
            return document
        }
    }

    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) throws {
        for document in isReversed ? documents.reversed() : documents {
            let row = Row(document)
            if let match = try filter.match(row), try !body(row, match) { return }
        }
    }

    func document(id: BSON) throws -> Row? { index(of: id).map { Row(documents[$0]) } }

    func insert(_ document: MongoDocument) throws {
        guard index(of: document["_id"] ?? .undefined) == nil else { throw MongoError.duplicateKey(in: "memory") }
        documents.append(document)
    }

    func replace(_ row: Row, with document: MongoDocument) throws {
        guard let index = index(of: row.id) else { return }
        documents[index] = document
    }

    func remove(id: BSON) throws {
        guard let index = index(of: id) else { return }
        documents.remove(at: index)
    }

    func nested<Result>(_ body: () throws -> Result) throws -> Result {
        let before = documents
        do {
            return try body()
        } catch {
            documents = before
            throw error
        }
    }

    private func index(of id: BSON) -> Int? {
        documents.firstIndex { $0["_id"].map { $0.isSame(as: id) } ?? false }
    }
}
