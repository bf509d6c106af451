import Foundation
import SealiteValues
import Testing

/// The share of the recorded values that Sealite reproduces, of the operators and stages that it must have. That the
/// listed cases differ and that no other case does is tested by ``ExpressionCaseTests`` and ``AggregateCaseTests``.
@Suite("the share of recorded values that are reproduced")
struct CaseShareTests {
    /// Trigonometry and the date operators of MongoDB 5.0 are optional, and so is the key of an index that Sealite doesn't have.
    private static let optionalOperators: Set<String> = [
        "$sin", "$cos", "$tan", "$asin", "$acos", "$atan", "$atan2", "$sinh", "$cosh", "$tanh", "$asinh", "$acosh",
        "$atanh", "$degreesToRadians", "$radiansToDegrees", "$dateAdd", "$dateDiff", "$dateSubtract", "$dateTrunc",
        "$toHashedIndexKey",
    ]
    private static let optionalStages: Set<String> = ["$setWindowFields", "$densify", "$fill"]

    /// The counts of one file's cases that expect a value.
    private struct Counts {
        /// The cases that use an operator or a stage that is optional.
        var optional = 0
        /// The cases whose result can't be computed from the file.
        var undetermined = 0
        /// The other cases.
        var required = 0
        /// The cases of `required` whose result differs in a value.
        var different = 0

        var percent: Double { 100 * Double(required - different) / Double(required) }

        /// The row of the table in Documentation/MongoDifferences.md.
        func row(_ name: String) -> String {
            let share = (percent * 10).rounded(.down) / 10
            return "| `\(name).json` | \(optional) | \(undetermined) | \(required) | \(different) | \(share) % |"
        }
    }

    @Test("of the required operators and stages, at least 97 percent of the values are reproduced, as documented")
    func share() throws {
        let expressions = try counts(
            "expression", optional: Self.optionalOperators, undetermined: ExpressionDifferences.otherInMongoDB,
            different: Set(ExpressionDifferences.reasons.keys))
        // The order of an object's members is no value: AggregateCaseTests compares these cases without it.
        let pipelines = try counts(
            "aggregate", optional: Self.optionalStages,
            undetermined: AggregateDifferences.lacksDocuments.union(AggregateDifferences.lacksOrder)
                .union(AggregateDifferences.otherInMongoDB),
            different: Set(AggregateDifferences.reasons.keys).subtracting(AggregateDifferences.memberOrder))
        #expect(expressions.percent >= 97)
        #expect(pipelines.percent >= 97)
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let page = try String(
            contentsOf: root.appending(path: "Documentation/MongoDifferences.md"), encoding: .utf8)
        for row in [expressions.row("expression"), pipelines.row("aggregate")] {
            #expect(page.contains(row), "MongoDifferences.md must have: \(row)")
        }
    }

    private func counts(
        _ name: String, optional: Set<String>, undetermined: Set<String>, different: Set<String>
    ) throws -> Counts {
        var counts = Counts()
        for one in try CaseFile(name).cases where !one.expectsError {
            let request = "\(one["expression"] ?? one["command"] ?? .null)"
            if optional.contains(where: { request.contains("\"\($0)\"") }) {
                counts.optional += 1
            } else if undetermined.contains(one.id) {
                counts.undetermined += 1
            } else {
                counts.required += 1
                if different.contains(one.id) { counts.different += 1 }
            }
        }
        return counts
    }
}
