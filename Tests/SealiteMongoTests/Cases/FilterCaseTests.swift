import SealiteJSON
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the cases of filters")
struct FilterCaseTests {
    private static let differences = [
        "filter-0515": "MongoDB 8 takes regular expressions in $in only as values",
        "filter-0667": "in MongoDB, binary data of the subtype 2 has its length before its bytes",
        "filter-0673": "in MongoDB, binary data of the subtype 2 has its length before its bytes",
        "filter-0674": "in MongoDB, binary data of the subtype 2 has its length before its bytes",
        "filter-0675": "in MongoDB, binary data of the subtype 2 has its length before its bytes",
        "filter-0747": "a position of a bit is an integer",
        "filter-0775": "a mask has up to 63 bits",
        "filter-0779": "a mask has up to 63 bits",
        "filter-0785": "a mask has up to 63 bits",
    ]

    @Test("documents in memory are matched as the cases have it")
    func documentsInMemory() throws {
        try run { filter, document in try filter.matches(Row(document)) }
    }

    @Test("stored bodies are matched in place as the cases have it")
    func storedBodies() throws {
        try run { filter, document in
            var body = document
            let id = try #require(document["_id"])
            body["_id"] = nil
            return try filter.matches(Row(body: Self.stored(body), id: id))
        }
    }

    /// A body as Sealite writes it, or, with a value that it doesn't write, as another program may have.
    static func stored(_ body: MongoDocument) throws -> [UInt8] {
        do {
            return try body.stored()
        } catch .refusedType {
            return try JSONB.parse(Array(body.extendedJSON(.canonical).utf8))
        }
    }

    private func run(_ matches: (Filter, MongoDocument) throws -> Bool) throws {
        let file = try CaseFile("filter")
        file.run(contradictions: Self.differences) { difference(of: $0, file.documents(of: $0), matches) }
    }

    private func difference(
        of one: CaseFile.Case, _ documents: [MongoDocument], _ matches: (Filter, MongoDocument) throws -> Bool
    ) -> String? {
        do {
            let filter = try Filter(parsing: one["filter"]?.asDocument ?? [:])
            let found = try documents.filter { try matches(filter, $0) }.compactMap { $0["_id"] }
            if one.expectsError { return "\(one["filter"] ?? .null) is accepted" }
            guard CaseComparison.areEqualSets(found, one["expected"]?.asArray ?? []) else {
                return "\(one["filter"] ?? .null) finds \(BSON.array(found)), not \(one["expected"] ?? .null)"
            }
            return nil
        } catch {
            return one.expectsError ? nil : "\(one["filter"] ?? .null) fails: \(error)"
        }
    }
}
