/// The shape with which a search compares geometries.
package enum SearchShape: Sendable {
    /// Geometries within the polygons of another one.
    case within(Geometry)
    /// Geometries that have a point in common with another one.
    case intersecting(Geometry)
    /// Geometries within a cap of the sphere.
    case withinCap(Cap)
    /// Points within a shape in the plane.
    case withinPlane(PlaneShape)

    /// Returns a Boolean value that says whether a geometry is one that the search is for.
    package func holds(for geometry: Geometry, _ work: inout GeometryWork) throws -> Bool {
        switch self {
        case .within(let area): return try geometry.isOnSphere && area.contains(geometry, &work)
        case .intersecting(let other): return try geometry.isOnSphere && other.intersects(geometry, &work)
        case .withinCap(let cap): return try geometry.isOnSphere && cap.contains(geometry, &work)
        case .withinPlane(let shape):
            return try geometry.singlePoint.map { try shape.contains($0.x, $0.y, &work) } ?? false
        }
    }
}

// Reading the shapes of `$geoWithin`.
extension SearchShape {
    /// Creates the search for what is within a shape of one of MongoDB's kinds: `$geometry`, `$box`, `$polygon`, `$center` and
    /// `$centerSphere`.
    ///
    /// - Throws: ``GeometryError`` for another kind, or a value that isn't such a shape, and the errors of the work.
    package init(within kind: String, _ value: ShapeValue, _ work: GeometryWork) throws {
        switch kind {
        case "$geometry": self = .within(try Self.area(value, work))
        case "$box", "$polygon": self = .withinPlane(try Self.plane(kind, value))
        case "$center", "$centerSphere": self = try Self.circle(kind, value)
        default: throw GeometryError("there is no shape '\(kind)'")
        }
    }

    /// Returns the geometry that an operand of a search is.
    package static func geometry(_ value: ShapeValue, _ work: GeometryWork) throws -> Geometry {
        var reader = GeoJSONReader.ofSearches(work)
        let geometry = try reader.geometry(value)
        guard geometry.isOnSphere else { throw GeometryError("it isn't a longitude and a latitude") }
        return geometry
    }

    private static func area(_ value: ShapeValue, _ work: GeometryWork) throws -> Geometry {
        let area = try geometry(value, work)
        guard !area.polygons.isEmpty, area.points.isEmpty, area.lines.isEmpty else {
            throw GeometryError("it isn't a Polygon or a MultiPolygon")
        }
        return area
    }

    private static func plane(_ kind: String, _ value: ShapeValue) throws -> PlaneShape {
        guard case .list(let items) = value else { throw GeometryError("it isn't an array of points") }
        let points = try items.map { try GeoJSONReader.pair($0, allowsFurtherMembers: false) }
        if kind == "$box" {
            // Further points count for nothing, as on MongoDB's servers.
            guard points.count >= 2 else { throw GeometryError("a box has two corners") }
            return .box(PlaneBox(points[0], points[1]))
        }
        guard points.count >= 3 else { throw GeometryError("a polygon has at least three points") }
        return .polygon(PlanePolygon(points))
    }

    private static func circle(_ kind: String, _ value: ShapeValue) throws -> SearchShape {
        guard case .list(let items) = value, items.count == 2 else {
            throw GeometryError("it isn't an array of a centre and a radius")
        }
        let center = try GeoJSONReader.pair(items[0], allowsFurtherMembers: false)
        guard let radius = items[1].number, radius >= 0 else {
            throw GeometryError("the radius isn't a number from 0 on")
        }
        guard kind == "$centerSphere" else { return .withinPlane(.circle(x: center.x, y: center.y, radius: radius)) }
        guard let vector = GeometryPoint(center.x, center.y).vector else {
            throw GeometryError("the centre isn't a longitude and a latitude")
        }
        return .withinCap(Cap(vector, radius: radius))
    }
}
