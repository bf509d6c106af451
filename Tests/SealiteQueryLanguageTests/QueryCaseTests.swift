import Foundation
import Testing

@testable import SealiteQueryLanguage

/// LiteCore's own cases, run from the files. Differences are listed in `Fixtures/Queries/differences.md`; an unlisted one fails, and
/// so does a listed one that is none.
@Suite("query cases")
struct QueryCaseTests {
    /// The way in which a text is read otherwise; nil if it isn't.
    private func difference(_ one: QueryCase) -> String? {
        do {
            let tree = LiteCoreTree.of(try QueryTree(parsing: one.sqlpp ?? "")).normalised
            guard let ast = one.ast?.normalised else { return one.isSyntaxError ? "is read" : nil }
            return tree == ast ? nil : "has another tree: \(tree)"
        } catch {
            return one.ast != nil ? "is refused: \(error)" : nil
        }
    }

    @Test("every case of parser.json has LiteCore's tree, or is listed")
    func trees() throws {
        let listed = try QueryDifferences.syntax()
        let cases = try QueryCase.cases("parser")
        #expect(cases.count == 156)
        for one in cases {
            let difference = difference(one)
            #expect(
                (difference == nil) == (listed[one.id] == nil),
                "\(one.id) \(one.sqlpp ?? "") \(difference ?? "is listed")")
        }
    }

    @Test("every other case is read or refused as LiteCore does, or is listed", arguments: try QueryCase.otherGroups())
    func queries(group: String) throws {
        let listed = try QueryDifferences.syntax()
        for one in try QueryCase.cases(group) {
            guard let text = one.query else { continue }
            var failure: QuerySyntaxError?
            do { _ = try Statement(parsing: text) } catch { failure = error }
            // A case that fails later may be refused by either.
            if one.error != nil, !one.isSyntaxError, listed[one.id] == nil { continue }
            #expect(
                ((failure != nil) == one.isSyntaxError) == (listed[one.id] == nil),
                "\(one.id) \(text): \(failure?.description ?? "is read")")
        }
    }

    @Test("every case's text that is read is printed and read as the same tree")
    func printed() throws {
        var count = 0
        for group in try QueryCase.otherGroups() + ["parser"] {
            for one in try QueryCase.cases(group) {
                guard let tree = try? Statement(parsing: one.sqlpp ?? one.query ?? "") else { continue }
                count += 1
                #expect(try Statement(parsing: "\(tree)") == tree, "\(one.id): \(tree)")
            }
        }
        #expect(count > 1330)
    }
}
