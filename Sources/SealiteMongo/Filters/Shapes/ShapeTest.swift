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

extension Geometry {
    /// Creates the geometry of a document's value; nil if it isn't one.
    init?(of value: BSON, _ work: inout GeometryWork) throws {
        if let point = Self.point(value) {
            self.init(point: point.x, point.y)
            return
        }
        var reader = GeoJSONReader.ofDocuments(work)
        defer { work = reader.work }
        do {
            self = try reader.geometry(ShapeValue(value))
        } catch is GeometryError {
            return nil
        }
    }

    /// Returns the coordinates of the plainest form of a point, which most documents have; nil for any other form.
    private static func point(_ value: BSON) -> (x: Double, y: Double)? {
        guard case .document(let document) = value, document.count == 2, document["type"] == "Point",
            case .array(let pair)? = document["coordinates"], pair.count == 2, case .double(let x) = pair[0],
            case .double(let y) = pair[1], GeometryPoint.isOnSphere(x, y)
        else { return nil }
        return (x, y)
    }
}

/// What `$near`, `$nearSphere` and `$geoNear` search: the geometries nearest to a point.
struct NearSearch: Sendable {
    /// The radius of the Earth in metres, with which MongoDB computes distances.
    static let earthRadius = 6_378_100.0

    /// The kind of distances.
    enum Measure: Sendable {
        /// Metres on the sphere, for a point as GeoJSON.
        case metres
        /// Radians on the sphere, for a pair of coordinates.
        case radians
        /// Straight distances in the plane, for a pair of coordinates.
        case plane
    }

    let center: GeometryPoint
    let measure: Measure
    /// The least distance, in the unit of the measure.
    var minimum = 0.0
    /// The greatest distance, in the unit of the measure.
    var maximum = Double.infinity

    /// The number by which a distance in the unit of the measure is multiplied to compare distances: those on the sphere are compared
    /// in metres, whose rounding errors MongoDB's distances in radians have too.
    private var unit: Double { measure == .radians ? Self.earthRadius : 1 }

    /// Returns a Boolean value that says whether a distance, as `distance(of:_:)` returns it, is within the bounds.
    func allows(_ distance: Double) -> Bool { distance >= minimum * unit && distance <= maximum * unit }

    /// Returns a distance, as `distance(of:_:)` returns it, in the unit of the measure.
    func measured(_ distance: Double) -> Double { measure == .radians ? distance / unit : distance }

    /// Returns the distance of a geometry, in metres on the sphere; nil if it has none in this measure.
    func distance(of geometry: Geometry, _ work: inout GeometryWork) throws -> Double? {
        guard measure != .plane else {
            return geometry.singlePoint.map { PlaneShape.distance($0.x, $0.y, center.x, center.y) }
        }
        guard let center = center.vector, geometry.isOnSphere else { return nil }
        return try geometry.distance(center, &work).map { $0 * Self.earthRadius }
    }

    /// Returns a distance in the unit of the measure in radians.
    func radians(_ distance: Double) -> Double { measure == .metres ? distance / Self.earthRadius : distance }

    /// Returns a Boolean value that says whether an index on a grid can be searched.
    func canSearch(_ grid: GeoGrid) -> Bool {
        switch measure {
        case .metres: grid == .sphere
        case .radians: true
        case .plane: grid != .sphere
        }
    }
}

/// The condition of `$near` in a filter.
struct NearCondition: Sendable {
    let path: FilterPath
    let search: NearSearch
}
