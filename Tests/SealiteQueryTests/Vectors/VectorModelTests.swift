import Foundation
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("vector searches against loops over the vectors")
struct VectorModelTests {
    private static let encodings: [VectorEncoding] = [
        .none(), .scalarQuantizer(type: .SQ8), .scalarQuantizer(type: .SQ6), .scalarQuantizer(type: .SQ4),
    ]
    /// The least part of the true nearest documents that the other searches find on average: of hundreds, or of some ten.
    private static let leastRecall = Effort.current == .soak ? 0.9 : 0.8
    /// In the soak, more than 10,000 searches of all metrics and encodings together.
    private static let (models, rounds) = Effort.current == .soak ? (8, 20) : (1, 6)
    private static let searchesPerRound = 4

    @Test(
        "after any changes a search finds the nearest documents that fulfil its conditions, equally near ones in the order of their creation",
        arguments: DistanceMetric.allCases, encodings)
    func searches(metric: DistanceMetric, encoding: VectorEncoding) throws {
        var (recalls, exactCount, listedCount): ([Double], Int, Int) = ([], 0, 0)
        let place = (DistanceMetric.allCases.firstIndex(of: metric) ?? 0, Self.encodings.firstIndex(of: encoding) ?? 0)
        for part in 0..<Self.models {
            let seed = TestSeed.run &+ UInt64(part * 16 + place.0 * 4 + place.1)
            var model = try VectorModel(metric, encoding, seed: seed)
            for round in 0..<Self.rounds {
                for _ in 0..<Self.searchesPerRound {
                    guard let flaw = try model.search() else { continue }
                    Issue.record("seed \(seed), round \(round): \(flaw)")
                    return
                }
                try model.step()
            }
            recalls += model.recalls
            exactCount += model.exactCount
            listedCount += model.listedCount
        }
        let recall = recalls.reduce(0, +) / Double(max(recalls.count, 1))
        if Effort.current == .soak {
            print("vectors: recall \(recall) of \(recalls.count) searches, \(metric), \(encoding)")
        }
        #expect(exactCount > 0 && recalls.count >= 5 && listedCount >= 20)
        #expect(recall >= Self.leastRecall, "the average of \(recalls.count) searches")
    }
}
