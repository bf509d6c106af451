internal import SealiteQuery

extension PropertyVectorIndex {
    /// Returns the configuration of the index over an expression.
    func configuration(_ expression: String) -> VectorIndexConfiguration {
        var config = VectorIndexConfiguration(
            expression: expression, dimensions: UInt32(clamping: dimensions), centroids: UInt32(clamping: centroids))
        config.metric = metric.distance
        return config
    }

    /// Returns whether an index has this definition, of what a declaration says.
    func isMade(_ found: VectorIndexConfiguration) -> Bool {
        Int(found.dimensions) == dimensions && Int(found.centroids) == centroids && found.metric == metric.distance
    }
}

extension PropertyVectorIndex.Metric {
    fileprivate var distance: DistanceMetric {
        switch self {
        case .euclideanSquared: .euclideanSquared
        case .euclidean: .euclidean
        case .cosine: .cosine
        case .dot: .dot
        }
    }
}
