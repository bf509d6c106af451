import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the cases of aggregation pipelines")
struct AggregateCaseTests {
    @Test("pipelines give what the cases have")
    func pipelines() throws {
        let file = try CaseFile("aggregate")
        // One case has no Extended JSON: a double that is written as a number in its wrapper.
        #expect(file.unreadable == [#"  {"id": "agg-0062""#])
        file.run(contradictions: AggregateDifferences.reasons) { difference(of: $0, file) }
    }

    @Test("the cases that differ in the order of members have the same members")
    func memberOrder() throws {
        let file = try CaseFile("aggregate")
        for one in file.cases where AggregateDifferences.memberOrder.contains(one.id) {
            let rows = try rows(of: one, file).map(\.withSortedMembers)
            let expected = (one["expected"]?.asArray ?? []).map(\.withSortedMembers)
            #expect(LooseComparison().areEqual(rows, expected, isUnordered: true), "\(one.id)")
        }
    }

    @Test("the cases that can't hold have no documents, or fewer than they expect")
    func datasets() throws {
        let file = try CaseFile("aggregate")
        for one in file.cases where AggregateDifferences.lacksDocuments.contains(one.id) {
            var known = file.documents(of: one)
            for member in one["foreign"]?.asDocument ?? [:] { known += file.dataset(member.value.asString ?? "") }
            let expected = (one["expected"]?.asArray ?? []).compactMap { $0.asDocument?["_id"] }
            let nested = (one["expected"]?.asArray ?? []).compactMap {
                $0.asDocument?["matched_docs"]?.asDocument?["_id"]
            }
            let ids = known.compactMap { $0["_id"] }
            let isComplete = (expected + nested).allSatisfy { ids.contains($0) }
            #expect(!isComplete || known.isEmpty || one["foreign"] == nil, "\(one.id)")
        }
    }

    // MARK: One case

    private func difference(of one: CaseFile.Case, _ file: CaseFile) -> String? {
        do {
            let rows = try rows(of: one, file)
            if one.expectsError { return "\(one["command"] ?? .null) gives rows" }
            let expected = (one["expected"]?.withRegularExpressions.asArray ?? [])
            let names = stageNames(one)
            // Groups and buckets come in any order where the cases were recorded, and what is reached by $graphLookup does.
            let isUnordered =
                one.isUnordered || ["$group", "$bucket", "$bucketAuto", "$sortByCount"].contains(names.last ?? "")
            let comparison = LooseComparison(
                isUnordered: one["unorderedArrays"] != nil || "\(names)".contains("$graphLookup"),
                doubleTolerance: names.contains("$setWindowFields") ? 1e-15 : 0)
            return comparison.areEqual(rows, expected, isUnordered: isUnordered)
                ? nil : "\(one["command"] ?? .null) gives \(BSON.array(rows)), not \(BSON.array(expected))"
        } catch {
            guard one.expectsError else { return "\(one["command"] ?? .null) fails: \(error)" }
            return (error as? MongoError)?.code == 40324 ? "\(error)" : nil
        }
    }

    private func stageNames(_ one: CaseFile.Case) -> [String] {
        let names = (one["command"]?.asDocument?["pipeline"]?.asArray ?? []).compactMap { $0.asDocument?.keys.first }
        // What $facet runs counts as well.
        return "\(one["command"] ?? .null)".contains("$graphLookup") ? names + ["$graphLookup"] : names
    }

    private func rows(of one: CaseFile.Case, _ file: CaseFile) throws -> [BSON] {
        let command = one["command"]?.withRegularExpressions.asDocument ?? [:]
        guard let pipeline = command["pipeline"]?.asArray else { throw MongoError(code: 14, "no array") }
        var documents = file.documents(of: one)
        if stageNames(one).contains("$setWindowFields") { documents = recordedOrder(documents, one) }
        var store = PipelineCases.Store(own: documents.map { Row($0) })
        for member in one["foreign"]?.asDocument ?? [:] {
            store.collections[member.key] = file.dataset(member.value.asString ?? "")
        }
        return try PipelineCases.rows(
            of: pipeline, over: store.own, variables: command["let"]?.asDocument ?? [:], store: store)
    }

    /// The documents in the order in which the expected ones come: the order of a collection wasn't recorded, and decides where values are equal by
    /// which rows are sorted.
    private func recordedOrder(_ documents: [MongoDocument], _ one: CaseFile.Case) -> [MongoDocument] {
        let order = (one["expected"]?.asArray ?? []).compactMap { $0.asDocument?["_id"] }
        func place(_ document: MongoDocument) -> Int { order.firstIndex { $0 == document["_id"] } ?? order.count }
        return documents.enumerated()
            .sorted { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
            .map(\.element)
    }
}
