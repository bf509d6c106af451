import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

/// Couchbase Lite's cases, run from the files. Cases that end differently are listed in `Fixtures/Queries/differences.md`; an unlisted one fails, and so does a
/// listed one that ends as expected.
@Suite("query cases")
struct QueryCaseRunTests {
    @Test("every case gives what it expects, or is listed", arguments: try QueryCaseFile.names())
    func cases(name: String) throws {
        let file = try QueryCaseFile(name)
        let listed = try ResultDifferences.listed()
        let stage = CaseStage(file)
        for one in file.cases where one.query != nil {
            let difference = stage.difference(one)
            #expect((difference == nil) == (listed[one.id] == nil), "\(one.id): \(difference ?? "is listed")")
        }
    }

    @Test(
        "no case's rows change with the indexes that its plan asks for, or with those over arrays alone",
        arguments: [(CaseStage.Suggestions.all, 80), (.arrays, 25)])
    func indexes(suggestions: CaseStage.Suggestions, leastUsed: Int) throws {
        var used = 0
        for name in try QueryCaseFile.names() {
            let file = try QueryCaseFile(name)
            let stage = CaseStage(file)
            for one in file.cases where one.query != nil {
                let difference = try stage.indexDifference(one, suggestions, used: &used)
                #expect(difference == nil, "\(one.id): \(difference ?? "")")
            }
        }
        #expect(used > leastUsed)
    }
}
