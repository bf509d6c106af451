import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the cases of aggregation expressions")
struct ExpressionCaseTests {
    @Test("expressions over documents in memory give what the cases have")
    func documentsInMemory() throws {
        try CaseFile("expression").run(contradictions: ExpressionDifferences.reasons) { one in
            Self.difference(of: one) { expression, document in
                try expression.value(of: Row(document), now: DateTime(milliseconds: 0))
            }
        }
    }

    @Test("expressions over stored bodies, read in place, give the same as over documents in memory")
    func storedBodies() throws {
        var count = 0
        for one in try CaseFile("expression").cases where !one.expectsError {
            guard let (document, expression) = try? Self.parts(one), let id = document["_id"] else { continue }
            var body = document
            body["_id"] = nil
            let stored = Row(body: try FilterCaseTests.stored(body), id: id)
            let now = DateTime(milliseconds: 0)
            let results = [stored, Row(document)].map { row in
                do { return "\(try expression.value(of: row, now: now) ?? "missing")" } catch { return "\(error)" }
            }
            #expect(results[0] == results[1], "\(one.id)")
            count += 1
        }
        #expect(count > 300)
    }

    @Test("the cases that were recorded in another time zone hold in that zone")
    func recordedZone() throws {
        let zone = try Zone("America/Los_Angeles")
        for one in try CaseFile("expression").cases where ExpressionDifferences.recordedZone.contains(one.id) {
            let (document, expression) = try Self.parts(one)
            let value = try expression.value(of: Row(document), now: DateTime(milliseconds: 0))
            guard case .datetime(let date) = value, case .datetime(let expected) = one["expected"] else {
                Issue.record("\(one.id) is no date")
                continue
            }
            // What was recorded takes the clock of the text for one of that zone, even behind an offset.
            #expect(zone.time(wall: Int(date.milliseconds)) == expected, "\(one.id)")
        }
    }

    // MARK: One case

    private static func parts(_ one: CaseFile.Case) throws -> (MongoDocument, AggregationExpression) {
        let document = one["document"]?.withRegularExpressions.asDocument ?? [:]
        return (document, try AggregationExpression(parsing: one["expression"]?.withRegularExpressions ?? .null))
    }

    private static func difference(
        of one: CaseFile.Case, _ evaluate: (AggregationExpression, MongoDocument) throws -> BSON?
    ) -> String? {
        do {
            let (document, expression) = try parts(one)
            let value = try evaluate(expression, document)
            if one.expectsError { return "\(one["expression"] ?? .null) gives a value" }
            guard let value else { return one["missing"] == nil ? "\(one["expression"] ?? .null) gives none" : nil }
            let expected = one["expected"]?.withRegularExpressions
            // A unit or two in the last of 34 digits: the recorded results of functions of real numbers aren't rounded correctly.
            let comparison = LooseComparison(
                isUnordered: one["unorderedArrays"] != nil, doubleTolerance: 0, decimalTolerance: Decimal128("2E-33"))
            guard let expected, comparison.areEqual(value, expected) else {
                return "\(one["expression"] ?? .null) gives \(value), not \(one["expected"] ?? "nothing")"
            }
            return nil
        } catch {
            return one.expectsError ? refusal(one, error) : "\(one["expression"] ?? .null) fails: \(error)"
        }
    }

    /// A difference where a case is refused for want of an operator, and the case names another reason.
    private static func refusal(_ one: CaseFile.Case, _ error: any Error) -> String? {
        guard let error = error as? MongoError, error.code == 168, error.message.hasPrefix("There is no operator")
        else { return nil }
        return one["error"]?.asString?.contains("Unrecognized expression") == true ? nil : "\(error)"
    }
}
