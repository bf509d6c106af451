internal import SealiteVectors

/// How near two vectors are: of two, the one with the smaller distance is nearer.
public enum DistanceMetric: Sendable, Equatable, CaseIterable {
    /// The square of the length of the difference.
    case euclideanSquared
    /// The length of the difference.
    case euclidean
    /// 1 minus the cosine of the angle: 0 for the same direction, 2 for opposite ones. Vectors of zeros have none.
    case cosine
    /// The negative sum of products.
    case dot

    /// Returns the metric with a name in SQL++, without regard to case: `EUCLIDEAN` or `L2`; `EUCLIDEAN_SQUARED`,
    /// `EUCLIDEAN2` or `L2_SQUARED`; `COSINE`; `DOT`. Nil for any other name.
    public init?(name: String) {
        switch VectorMetric(queryName: name) {
        case .euclideanSquared?: self = .euclideanSquared
        case .euclidean?: self = .euclidean
        case .cosine?: self = .cosine
        case .dot?: self = .dot
        case nil: return nil
        }
    }

    init(_ metric: VectorMetric) {
        switch metric {
        case .euclideanSquared: self = .euclideanSquared
        case .euclidean: self = .euclidean
        case .cosine: self = .cosine
        case .dot: self = .dot
        }
    }

    var vectorMetric: VectorMetric {
        switch self {
        case .euclideanSquared: .euclideanSquared
        case .euclidean: .euclidean
        case .cosine: .cosine
        case .dot: .dot
        }
    }

    /// The name of the metric in SQL++.
    var queryName: String {
        switch self {
        case .euclideanSquared: "EUCLIDEAN_SQUARED"
        case .euclidean: "EUCLIDEAN"
        case .cosine: "COSINE"
        case .dot: "DOT"
        }
    }
}
