internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteValues

/// The search of `$near`, `$nearSphere` and `$geoNear` for the geometries nearest to a point.
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

/// A document that a search for the surroundings of a point found.
struct NearDocument {
    /// The document's row number.
    let number: Int64
    let row: Row
    /// The distance, in the unit of the search.
    let distance: Double
    /// The value of the document that is nearest.
    let value: BSON
}
