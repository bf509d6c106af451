import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the cases of updates")
struct UpdateCaseTests {
    /// Cases whose filter doesn't match the document, so that no update of it takes place in MongoDB and nothing was found for `$`.
    private static let contradictions = [
        "upd-0436": "the _id is another one", "upd-0444": "$ne of an item", "upd-0445": "$nin of an item",
    ]

    @Test("documents in memory are updated as the cases have it")
    func documentsInMemory() throws {
        try CaseFile("update").run(contradictions: Self.contradictions) { difference(of: $0, updated) }
    }

    @Test("stored bodies are updated in place as the cases have it")
    func storedBodies() throws {
        var count = 0
        try CaseFile("update").run(contradictions: Self.contradictions) { one in
            difference(of: one) { document, one in
                guard one["upsert"] != .bool(true), let id = document["_id"] else { return try updated(document, one) }
                var body = document
                body["_id"] = nil
                let update = try Update(
                    parsing: one["update"] ?? .null, arrayFilters: one["arrayFilters"]?.asArray ?? [])
                let edited = try update.edited(body.stored(), position: position(document, one))
                guard let edited else { return try updated(document, one) }
                count += 1
                return Row(body: edited, id: id).document
            }
        }
        #expect(count > 150)
    }

    private func difference(
        of one: CaseFile.Case, _ updated: (MongoDocument, CaseFile.Case) throws -> MongoDocument
    ) -> String? {
        let document = one["document"]?.asDocument ?? [:]
        let update = one["update"] ?? .null
        do {
            let result = try updated(document, one)
            if one.expectsError { return "\(update) is accepted: \(result)" }
            if one["unchanged"] == .bool(true) {
                return result == document ? nil : "\(update) changes the document to \(result)"
            }
            let expected = one["expected"]?.asDocument ?? [:]
            return CaseComparison.areEqual(result, expected) ? nil : "\(update) gives \(result), not \(expected)"
        } catch {
            return one.expectsError ? nil : "\(update) fails: \(error)"
        }
    }

    /// Applies the update of a case, even if its filter doesn't match, as the cases require.
    private func updated(_ document: MongoDocument, _ one: CaseFile.Case) throws -> MongoDocument {
        let query = one["filter"]?.asDocument ?? [:]
        let update = try Update(parsing: one["update"] ?? .null, arrayFilters: one["arrayFilters"]?.asArray ?? [])
        if one["upsert"] == .bool(true) {
            _ = try Filter(parsing: query)
            return try update.insertion(for: query)
        }
        return try update.apply(to: document, position: position(document, one))
    }

    /// The place in an array at which the filter of a case finds its value.
    private func position(_ document: MongoDocument, _ one: CaseFile.Case) throws -> Int? {
        let filter = try Filter(parsing: one["filter"]?.asDocument ?? [:])
        var matcher = FilterMatcher()
        let none: [UInt8] = []
        _ = try matcher.matches(filter.tree, BSON.document(document), in: none.span)
        return matcher.position
    }
}
