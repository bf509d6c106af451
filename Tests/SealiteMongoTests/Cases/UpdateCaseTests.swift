import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("The cases of updates")
struct UpdateCaseTests {
    /// Cases whose filter doesn't match the document, so that no update of it takes place in MongoDB and nothing was found for `$`.
    private static let contradictions = [
        "upd-0436": "the _id is another one", "upd-0444": "$ne of an item", "upd-0445": "$nin of an item",
    ]

    @Test("Documents in memory are updated as the cases have it")
    func documentsInMemory() throws {
        try CaseFile("update").run(contradictions: Self.contradictions) { difference(of: $0) }
    }

    private func difference(of one: CaseFile.Case) -> String? {
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

    /// As the cases do, the update is applied even where the filter doesn't match.
    private func updated(_ document: MongoDocument, _ one: CaseFile.Case) throws -> MongoDocument {
        let query = one["filter"]?.asDocument ?? [:]
        let filter = try Filter(parsing: query)
        let update = try Update(parsing: one["update"] ?? .null, arrayFilters: one["arrayFilters"]?.asArray ?? [])
        if one["upsert"] == .bool(true) { return try update.insertion(for: query) }
        var matcher = FilterMatcher()
        let none: [UInt8] = []
        _ = try matcher.matches(filter.tree, BSON.document(document), in: none.span)
        return try update.apply(to: document, position: matcher.position)
    }
}
