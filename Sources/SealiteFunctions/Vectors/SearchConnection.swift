import CSQLite
import SealiteVectors

/// A connection on which vector indexes are searched, with its prepared statements and what its last search read that never changes.
@safe
final class SearchConnection {
    let statements: InnerStatements
    /// The centroids and the codec of the last search's generation.
    private var known: KnownGeneration?
    /// The greatest size of centroids that are kept, in bytes.
    private static let keptByteCount = 8 << 20

    init(_ handle: OpaquePointer) { unsafe statements = InnerStatements(handle) }

    /// The parts of a generation that never change. In a file that somebody else made several indexes may have the same token.
    private struct KnownGeneration {
        let plan: VectorPlan
        let number: Int64
        let token: [UInt8]
        let codec: VectorCodec
        /// The centroids one after another; empty if they aren't kept, or weren't read yet.
        var centroids: [Float] = []
    }

    /// Returns the newest whole generation of an index; nil if there is none.
    func newestGeneration(_ plan: VectorPlan) throws(TableFailure) -> SearchGeneration? {
        let statement = try InnerStatement(
            statements,
            """
            SELECT generation, token, through, ranges, whole FROM \(plan.tables.generations)
            ORDER BY generation DESC LIMIT \(VectorTables.mostGenerations + 1)
            """)
        // A file that somebody altered may have any number of rows.
        var count = 0
        repeat {
            guard try statement.step() else { return nil }
            count += 1
            guard count <= VectorTables.mostGenerations else { throw NearestSearch.damage }
        } while statement.int64(4) != 1
        let (number, through) = (statement.int64(0), statement.int64(2))
        guard (0...VectorTables.greatestGeneration).contains(number), through >= 0,
            unsafe statement.bytes(1).count == VectorTables.tokenByteCount
        else { throw NearestSearch.damage }
        let token = unsafe Array(statement.bytes(1))
        if let known, known.number == number, known.token == token, known.plan == plan {
            return SearchGeneration(number: number, through: through, codec: known.codec)
        }
        let ranges = unsafe VectorRanges(
            stored: statement.bytes(3).bindMemory(to: UInt8.self).span, plan.encoding, dimensions: plan.dimensions)
        guard let ranges else { throw NearestSearch.damage }
        let codec = VectorCodec(
            metric: plan.metric, encoding: plan.encoding, dimensions: plan.dimensions, ranges: ranges)
        known = KnownGeneration(plan: plan, number: number, token: token, codec: codec)
        return SearchGeneration(number: number, through: through, codec: codec)
    }

    /// Calls `body` with the centroids of the generation that was returned last.
    func withCentroids(
        _ generation: SearchGeneration, _ plan: VectorPlan, _ body: (UnsafeBufferPointer<Float>) -> Void
    ) throws(TableFailure) {
        let isKnown = known?.number == generation.number && known?.plan == plan
        if isKnown, let floats = known?.centroids, !floats.isEmpty {
            return unsafe floats.withUnsafeBufferPointer { unsafe body($0) }
        }
        let floats = try read(generation, plan)
        if isKnown, floats.count * 4 <= Self.keptByteCount { known?.centroids = floats }
        unsafe floats.withUnsafeBufferPointer { unsafe body($0) }
    }

    private func read(_ generation: SearchGeneration, _ plan: VectorPlan) throws(TableFailure) -> [Float] {
        let first = VectorTables.firstList(of: generation.number)
        let statement = try InnerStatement(
            statements, "SELECT list, centroid FROM \(plan.tables.lists) WHERE list >= ?1 AND list < ?2 ORDER BY list",
            first,
            VectorTables.firstList(of: generation.number + 1))
        var floats: [Float] = []
        var centroid = [Float](repeating: 0, count: plan.dimensions)
        while try statement.step() {
            let count = floats.count / plan.dimensions
            let isRead = unsafe centroid.withUnsafeMutableBufferPointer { centroid in
                unsafe VectorReader.read(floats: statement.bytes(1).bindMemory(to: UInt8.self).span, into: centroid)
            }
            guard isRead, statement.int64(0) == first + Int64(count),
                (count + 1) * plan.dimensions * 4 <= VectorTables.greatestCentroidByteCount
            else { throw NearestSearch.damage }
            floats += centroid
        }
        guard !floats.isEmpty else { throw NearestSearch.damage }
        return floats
    }
}

/// A generation of a vector index, as a search reads it.
struct SearchGeneration {
    let number: Int64
    let through: Int64
    let codec: VectorCodec
}
