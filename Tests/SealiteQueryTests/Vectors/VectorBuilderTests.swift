import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("vectors in the query builder")
struct VectorBuilderTests {
    private let stage: VectorStage
    private let property = Expression.property("v")

    init() throws {
        stage = try VectorStage()
        try stage.fill(300)
        try stage.index()
    }

    private func select(_ results: Expression...) throws -> From {
        QueryBuilder.select([SelectResult.expression(Meta.id)] + results.map { SelectResult.expression($0) })
            .from(DataSource.collection(try stage.collection))
    }

    @Test("the nearest documents are found by a constant and by a parameter, with each of the settings")
    func nearest() throws {
        let vector = stage.vector()
        let floats = vector.map { Float($0) }
        let exact = stage.nearest(5, to: floats.map { Double($0) }, .euclideanSquared).map(\.id)
        let constant = Expression.vector(floats)
        for distance in [
            VectorFunction.approximateDistance(between: property, and: constant, readsAllLists: true),
            VectorFunction.approximateDistance(
                between: property, and: constant, metric: .euclideanSquared, probes: 8),
            VectorFunction.approximateDistance(between: property, and: Expression.parameter("vector")),
        ] {
            let query = try select(distance).orderBy(Ordering.expression(distance)).limit(Expression.int(5))
            if try query.parameterNames == ["vector"] {
                query.parameters = Parameters().setValue(
                    .array(ArrayObject(floats.map { .number(Number(Double($0))) })), forName: "vector")
            }
            #expect(try query.execute().compactMap { $0.string(at: 0) } == exact)
            #expect(try query.explain().contains("near"))
        }
    }

    @Test("settings that the index doesn't have are refused as in SQL++")
    func refused() throws {
        let constant = Expression.vector(stage.vector().map { Float($0) })
        for distance in [
            VectorFunction.approximateDistance(between: property, and: constant, metric: .cosine),
            VectorFunction.approximateDistance(between: property, and: constant, probes: 0),
            VectorFunction.approximateDistance(between: property, and: Expression.vector([1, 2])),
            VectorFunction.approximateDistance(
                between: property, and: Expression.vector([.nan] + Array(repeating: 0, count: 7))),
        ] {
            let query = try select().orderBy(Ordering.expression(distance)).limit(Expression.int(5))
            #expect(throws: DatabaseError(.invalidQuery, "")) { try query.execute().allResults() }
        }
    }

    @Test("exact distances are those of the metrics")
    func exact() throws {
        let (first, second) = ([3, 4] as [Double], [0, 8] as [Double])
        let (left, right) = (Expression.array(first.map { Value($0) }), Expression.array(second.map { Value($0) }))
        let base64 = Expression.vector(second.map { Float($0) })
        let distances = DistanceMetric.allCases.map {
            (VectorFunction.distance(between: left, and: base64, metric: $0), VectorStage.distance(first, second, $0))
        }
        let others = [
            (VectorFunction.distance(between: left, and: base64), 25.0),
            (VectorFunction.dotProduct(of: left, and: base64), 32),
            (Function.euclideanDistance(between: left, and: right), 5),
            (Function.squaredEuclideanDistance(between: left, and: right), 25),
            (Function.cosineDistance(between: left, and: right), 0.2),
        ]
        for (expression, expected) in distances + others {
            let row = try select(expression).limit(Expression.int(1)).execute().nextResult()
            #expect(abs((row?.double(at: 1) ?? .nan) - expected) < 1e-6)
        }
    }
}
