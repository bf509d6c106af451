import Foundation
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("random expressions and stages")
struct RandomExpressionTests {
    /// The number of operands and specifications for each operator and stage: more with SEALITE_SOAK.
    private static let rounds = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == nil ? 10 : 1500

    @Test(
        "no operator crashes on any operands, and a stored body gives what the same document in memory gives",
        arguments: TestSeed.seeds(8))
    func operators(_ seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        var count = 0
        for name in ExpressionOperator.all.keys.sorted() where name != "$rand" {
            for _ in 0..<Self.rounds {
                let expression = BSON.document([name: random.operand(of: name, depth: 2)])
                guard let parsed = try? AggregationExpression(parsing: expression) else { continue }
                let document = random.document()
                var body = document
                body["_id"] = nil
                let rows = [Row(document), Row(body: try body.stored(), id: document["_id"] ?? 0)]
                let results = rows.map { row in
                    do { return "\(try parsed.value(of: row, now: DateTime(milliseconds: 0)) ?? "missing")" } catch {
                        return "\(error)"
                    }
                }
                if results[0] != results[1] {
                    Issue.record("seed \(seed): \(expression) of \(document): \(results[0]), \(results[1])")
                }
                count += 1
            }
        }
        #expect(count > Self.rounds * 25, "seed \(seed)")
    }

    @Test(
        "no stage crashes on any specification, and stored bodies give what the same documents in memory give",
        arguments: TestSeed.seeds(8))
    func stages(_ seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        var count = 0
        for name in StageKind.all.keys.sorted() where name != "$sample" {
            for _ in 0..<Self.rounds {
                let pipeline = [BSON.document([name: random.specification(of: name)])]
                let documents = (0..<6).map { _ in random.document() }
                let stored = try documents.map { document in
                    var body = document
                    body["_id"] = nil
                    return Row(body: try body.stored(), id: document["_id"] ?? 0)
                }
                let results = [documents.map { Row($0) }, stored].map { rows in
                    do { return "\(try PipelineCases.rows(of: pipeline, over: rows))" } catch { return "\(error)" }
                }
                if results[0] != results[1] {
                    Issue.record("seed \(seed): \(pipeline) of \(documents): \(results[0]), \(results[1])")
                }
                if results[0].hasPrefix("[") { count += 1 }
            }
        }
        #expect(count > Self.rounds, "seed \(seed)")
    }
}
