/// A point of a document: its two coordinates as they are and, if they are a longitude and a latitude, its place on the sphere.
package struct GeometryPoint: Sendable {
    package let x: Double
    package let y: Double
    /// The point on the sphere; nil if the coordinates aren't a longitude and a latitude.
    package let vector: Vector3?

    package init(_ x: Double, _ y: Double) {
        (self.x, self.y) = (x, y)
        vector = Self.isOnSphere(x, y) ? Vector3(longitude: x, latitude: y) : nil
    }

    /// Returns a Boolean value that says whether two numbers are a longitude and a latitude, in degrees.
    package static func isOnSphere(_ longitude: Double, _ latitude: Double) -> Bool {
        abs(longitude) <= 180 && abs(latitude) <= 90
    }
}

/// The points, lines and polygons of a GeoJSON object or of a pair of coordinates.
package struct Geometry: Sendable {
    /// The form in which a geometry is written.
    package enum Form: Sendable {
        /// A pair of coordinates, as an array or an object.
        case pair
        case point
        case line
        case polygon
        case multiPoint
        case multiLine
        case multiPolygon
        case collection
    }

    package let form: Form
    package internal(set) var points: [GeometryPoint] = []
    package internal(set) var lines: [Polyline] = []
    package internal(set) var polygons: [SpherePolygon] = []

    init(_ form: Form) { self.form = form }

    /// Creates a point.
    package init(point x: Double, _ y: Double) {
        form = .point
        points = [GeometryPoint(x, y)]
    }

    /// Creates a polygon.
    package init(_ polygon: SpherePolygon) {
        form = .polygon
        polygons = [polygon]
    }

    /// The point, if the geometry is written as one, in whichever form.
    package var singlePoint: GeometryPoint? { form == .pair || form == .point ? points.first : nil }

    /// A Boolean value that says whether all points are on the sphere.
    package var isOnSphere: Bool { points.allSatisfy { $0.vector != nil } }

    /// A Boolean value that says whether a polygon may be larger than a hemisphere.
    package var hasStrictPolygon: Bool { polygons.contains { $0.isStrict } }

    // MARK: - Relations on the sphere

    /// Returns a Boolean value that says whether each part of another geometry is in one of this geometry's polygons.
    package func contains(_ other: Geometry, _ work: inout GeometryWork) throws -> Bool {
        for point in other.points {
            guard let vector = point.vector, try polygons.contains(where: { try $0.touches(vector, &work) }) else {
                return false
            }
        }
        for line in other.lines {
            guard try polygons.contains(where: { try $0.contains(line, &work) }) else { return false }
        }
        for polygon in other.polygons {
            guard try polygons.contains(where: { try $0.contains(polygon, &work) }) else { return false }
        }
        return true
    }

    /// Returns a Boolean value that says whether two geometries have a point in common.
    package func intersects(_ other: Geometry, _ work: inout GeometryWork) throws -> Bool {
        for point in points where try other.touches(point, &work) { return true }
        for point in other.points where try touches(point, &work) { return true }
        for line in lines {
            for second in other.lines where try line.touches(second, &work) { return true }
            for polygon in other.polygons where try polygon.touches(line, &work) { return true }
        }
        for polygon in polygons {
            for line in other.lines where try polygon.touches(line, &work) { return true }
            for second in other.polygons where try polygon.intersects(second, &work) { return true }
        }
        return false
    }

    private func touches(_ point: GeometryPoint, _ work: inout GeometryWork) throws -> Bool {
        guard let vector = point.vector else { return false }
        for own in points {
            try work.charge(1)
            if let place = own.vector, place.angle(vector) <= Tolerance.point { return true }
        }
        for line in lines where try line.touches(vector, &work) { return true }
        for polygon in polygons where try polygon.touches(vector, &work) { return true }
        return false
    }

    /// Returns the distance of a point from the nearest part, in radians; nil if no part is on the sphere.
    package func distance(_ point: Vector3, _ work: inout GeometryWork) throws -> Double? {
        var best: Double?
        func take(_ distance: Double) { best = min(best ?? distance, distance) }
        for own in points {
            try work.charge(1)
            if let vector = own.vector { take(vector.angle(point)) }
        }
        for line in lines { take(try line.distance(point, &work)) }
        for polygon in polygons { take(try polygon.distance(point, &work)) }
        return best
    }
}

extension Cap {
    /// Returns a Boolean value that says whether each part of a geometry is in the cap.
    package func contains(_ geometry: Geometry, _ work: inout GeometryWork) throws -> Bool {
        for point in geometry.points {
            guard let vector = point.vector, contains(vector) else { return false }
        }
        for line in geometry.lines where try !contains(line, &work) { return false }
        for polygon in geometry.polygons where try !contains(polygon, &work) { return false }
        return true
    }
}
