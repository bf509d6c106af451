import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the cases of projections")
struct ProjectionCaseTests {
    private static let differences = [
        "proj-0079": "what is computed follows what is kept",
        "proj-0124": "a stage of $project has at least one member; find takes an empty projection",
        "proj-0125": "the case expects documents that its dataset doesn't have",
    ]

    @Test("documents in memory are projected as the cases have it")
    func documentsInMemory() throws { try run { Row($0) } }

    @Test("stored bodies are projected as the cases have it")
    func storedBodies() throws {
        try run { document in
            guard let id = document["_id"] else { return Row(document) }
            var body = document
            body["_id"] = nil
            return Row(body: try FilterCaseTests.stored(body), id: id)
        }
    }

    private func run(_ row: (MongoDocument) throws -> Row) throws {
        let file = try CaseFile("projection")
        file.run(contradictions: Self.differences) { one in
            do {
                var documents = one["document"]?.asDocument.map { [$0] } ?? file.documents(of: one)
                documents.sort { ($0["_id"] ?? .null).compared(to: $1["_id"] ?? .null) < 0 }
                let stage: MongoDocument = ["$project": one["projection"]?.withRegularExpressions ?? .null]
                let rows = try PipelineCases.rows(of: [.document(stage)], over: try documents.map(row))
                if one.expectsError { return "\(stage) is accepted" }
                let expected = one["expected"]?.asArray ?? [one["expected"] ?? .null]
                return LooseComparison().areEqual(rows, expected, isUnordered: false)
                    ? nil : "\(stage) gives \(BSON.array(rows)), not \(BSON.array(expected))"
            } catch {
                return one.expectsError ? nil : "\(error)"
            }
        }
    }
}
