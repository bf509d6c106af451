internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteValues

/// A test of the geometries at a path: those of `$geoWithin` and `$geoIntersects`, and the distances of `$near`.
struct ShapeTest: Sendable {
    private enum Choice: Sendable {
        case shape(SearchShape)
        case near(NearSearch)
    }

    private let choice: Choice

    init(_ shape: SearchShape) { choice = .shape(shape) }

    init(_ near: NearSearch) { choice = .near(near) }

    /// The shape with which geometries are compared; nil for distances.
    var shape: SearchShape? { if case .shape(let shape) = choice { shape } else { nil } }

    /// Returns a Boolean value that says whether a value is a geometry that passes the test.
    func holds<Node: FilterNode>(for node: Node, in bytes: borrowing Span<UInt8>) throws -> Bool {
        guard node.shape(in: bytes) != .scalar else { return false }
        var work = GeometryWork { try WorkMeter.look() }
        guard let geometry = try Geometry(of: node.value(in: bytes), &work) else { return false }
        switch choice {
        case .shape(let shape): return try shape.holds(for: geometry, &work)
        case .near(let near): return try near.distance(of: geometry, &work).map(near.allows) ?? false
        }
    }
}
