internal import SealiteBase
internal import SealiteQueryLanguage
internal import SealiteVectors

extension Expression {
    /// Returns an expression for a constant vector, for the functions of ``VectorFunction``. Its value is the base64 of the
    /// numbers as float32, little-endian.
    public static func vector(_ vector: [Float]) -> Expression {
        string(Base64.encode(VectorReader.bytes(of: vector)))
    }
}

/// Factory methods of the query builder for calls of the functions of vectors (Documentation/VectorSearch.md).
///
/// ```swift
/// let distance = VectorFunction.approximateDistance(
///     between: Expression.property("embedding"), and: Expression.parameter("vector"))
/// let query = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(notes))
///     .orderBy(Ordering.expression(distance)).limit(Expression.int(10))
/// ```
public enum VectorFunction {
    /// Returns the distance of the documents' vectors from the one that is searched for, by a vector index. The query must
    /// have a LIMIT.
    ///
    /// - Parameters:
    ///   - expression: the expression of a vector index.
    ///   - vector: the vector that is searched for: a parameter, or a constant made by ``Expression/vector(_:)``.
    ///   - metric: that of the index, which is checked; nil for no check.
    ///   - probes: the number of lists to read first, from 1; nil for that of the index.
    ///   - readsAllLists: true to read all lists.
    /// - Returns: the expression, for the results, WHERE and ORDER BY.
    public static func approximateDistance(
        between expression: Expression, and vector: Expression, metric: DistanceMetric? = nil, probes: Int? = nil,
        readsAllLists: Bool = false
    ) -> Expression {
        let settings: [Tree.Expression] = [
            metric.map { .literal(.string($0.queryName)) } ?? .literal(.null),
            probes.map { .literal(.integer(Int64($0))) } ?? .literal(.null), .literal(.boolean(readsAllLists)),
        ]
        return Expression([expression, vector]) { .call(FunctionCall("APPROX_VECTOR_DISTANCE", $0 + settings)) }
    }

    /// Returns the syntax tree of a search for a constant vector.
    package static func approximateDistance(
        between expression: Tree.Expression, and vector: [Float]
    ) -> Tree.Expression {
        .call(FunctionCall("APPROX_VECTOR_DISTANCE", [expression, Expression.vector(vector).tree]))
    }

    /// Returns the exact distance of two vectors, whatever form they have; NULL unless both are vectors of the same number of
    /// dimensions.
    public static func distance(
        between first: Expression, and second: Expression, metric: DistanceMetric = .euclideanSquared
    ) -> Expression {
        Function.call("VECTOR_DISTANCE", first, second, Expression.string(metric.queryName))
    }

    /// Returns the sum of products of two vectors, whatever form they have; NULL unless both are vectors of the same number
    /// of dimensions.
    public static func dotProduct(of first: Expression, and second: Expression) -> Expression {
        Function.call("DOT_PRODUCT", first, second)
    }
}

extension Function {
    /// Returns the length of the difference of two arrays of numbers with equal lengths; MISSING for other values.
    public static func euclideanDistance(between first: Expression, and second: Expression) -> Expression {
        call("EUCLIDEAN_DISTANCE", first, second)
    }
    /// Returns the square of the length of the difference of two arrays of numbers with equal lengths; MISSING for other
    /// values.
    public static func squaredEuclideanDistance(between first: Expression, and second: Expression) -> Expression {
        call("EUCLIDEAN_DISTANCE", first, second, Expression.int(2))
    }
    /// Returns 1 minus the cosine of the angle of two arrays of numbers with equal lengths; MISSING for other values.
    public static func cosineDistance(between first: Expression, and second: Expression) -> Expression {
        call("COSINE_DISTANCE", first, second)
    }
}
