import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the drivers' cases of operations on collections")
struct CrudCaseTests {
    /// Cases of servers before the version whose rules hold here. Each has a counterpart that expects the opposite of later servers.
    private static let contradictions = [
        "crud-0001": "let is an option here", "crud-0003": "let is an option here",
        "crud-0046": "let is an option here",
        "crud-0049": "let is an option here", "crud-0092": "let is an option here",
        "crud-0020": "5.0 stores names with a dollar", "crud-0065": "5.0 stores names with a dollar",
        "crud-0027": "5.0 stores names with a dollar", "crud-0082": "5.0 stores names with a dollar",
        "crud-0025": "3.6 stores names with a point", "crud-0029": "3.6 stores names with a point",
        "crud-0055": "3.6 stores names with a point", "crud-0076": "3.6 stores names with a point",
        "crud-0080": "3.6 stores names with a point", "crud-0084": "3.6 stores names with a point",
        "crud-0078": "every write is acknowledged",
    ]

    @Test("collections of a sealed database end as the cases have it")
    func collections() async throws {
        var counts = (passed: 0, failed: [String]())
        for one in try CaseFile("crud-spec").cases {
            let reason = await difference(of: one)
            if Self.contradictions[one.id] != nil {
                #expect(reason != nil, "\(one.id) passes and needn't be listed")
            } else if let reason {
                counts.failed.append("\(one.id): \(reason)")
            } else {
                counts.passed += 1
            }
        }
        print("\(counts.passed) cases of operations, \(Self.contradictions.count) contradictions")
        let listed = counts.failed.joined(separator: "\n")
        #expect(counts.failed.isEmpty, "\(listed)")
    }

    private func difference(of one: CaseFile.Case) async -> String? {
        do {
            let test = try TestStore()
            var first: MongoCollection<MongoDocument>?
            for data in one["initialData"]?.asArray ?? [] {
                let name = data.asDocument?["collectionName"]?.asString ?? ""
                let documents = data.asDocument?["documents"]?.asArray ?? []
                let collection = try await test.collection(name, documents.compactMap(\.asDocument))
                first = first ?? collection
            }
            guard let first else { return "no collection" }
            for operation in one["operations"]?.asArray ?? [] {
                if let reason = await CrudOperation(operation.asDocument ?? [:]).difference(on: first) { return reason }
            }
            for data in one["outcome"]?.asArray ?? [] {
                let name = data.asDocument?["collectionName"]?.asString ?? ""
                let found = try await test.collection(name).find([:], options: FindOptions(sort: ["_id": 1])).toArray()
                let expected = data.asDocument?["documents"]?.asArray ?? []
                guard UnifiedResult.matches(.array(found.map(BSON.document)), .array(expected)) else {
                    return "leaves \(BSON.array(found.map(BSON.document))), not \(BSON.array(expected))"
                }
            }
            return nil
        } catch {
            return "fails: \(error)"
        }
    }
}
