/// Reads geometries from GeoJSON (RFC 7946) and from pairs of coordinates, by the rules of MongoDB.
package struct GeoJSONReader {
    /// The work of comparing the edges of polygons.
    package var work: GeometryWork
    /// A Boolean value that says whether an object or an array with more than two members may be a pair of coordinates.
    private let allowsFurtherMembers: Bool

    /// Creates a reader of values in documents, in which a pair of coordinates may have further members.
    package static func ofDocuments(_ work: GeometryWork) -> GeoJSONReader {
        GeoJSONReader(work: work, allowsFurtherMembers: true)
    }

    /// Creates a reader of the operands of searches.
    package static func ofSearches(_ work: GeometryWork) -> GeoJSONReader {
        GeoJSONReader(work: work, allowsFurtherMembers: false)
    }

    /// The coordinate reference system by which the order of a polygon's vertices says which side is inside.
    package static let strictWinding = "urn:x-mongodb:crs:strictwinding:EPSG:4326"
    private static let systems = ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326"]

    private static let forms: [String: Geometry.Form] = [
        "Point": .point, "LineString": .line, "Polygon": .polygon, "MultiPoint": .multiPoint,
        "MultiLineString": .multiLine, "MultiPolygon": .multiPolygon, "GeometryCollection": .collection,
    ]

    /// Returns the form of GeoJSON that an object's member `type` names; nil if it names none.
    package static func form(of value: ShapeValue) -> Geometry.Form? {
        guard case .text(let name)? = value["type"] else { return nil }
        return forms[name]
    }

    /// Returns the geometry of a value.
    ///
    /// - Throws: ``GeometryError`` for a value that isn't one, and the errors of the work.
    package mutating func geometry(_ value: ShapeValue) throws -> Geometry {
        guard let form = Self.form(of: value) else {
            let pair = try Self.pair(value, allowsFurtherMembers: allowsFurtherMembers)
            var geometry = Geometry(.pair)
            geometry.points = [GeometryPoint(pair.x, pair.y)]
            return geometry
        }
        return try self.geometry(form, value, isInCollection: false)
    }

    private mutating func geometry(
        _ form: Geometry.Form, _ value: ShapeValue, isInCollection: Bool
    ) throws -> Geometry {
        let isStrict = try Self.isStrict(value)
        guard !isStrict || form == .polygon else {
            throw GeometryError("only a polygon may have the strict winding order")
        }
        var geometry = Geometry(form)
        if form == .collection {
            guard !isInCollection else { throw GeometryError("a collection of geometries has a collection in it") }
            guard case .list(let items)? = value["geometries"], !items.isEmpty else {
                throw GeometryError("a collection of geometries has no array of at least one geometry")
            }
            for item in items {
                guard let form = Self.form(of: item) else {
                    throw GeometryError("an item of a collection of geometries isn't a geometry")
                }
                let part = try self.geometry(form, item, isInCollection: true)
                geometry.points += part.points
                geometry.lines += part.lines
                geometry.polygons += part.polygons
            }
            return geometry
        }
        guard let coordinates = value["coordinates"] else { throw GeometryError("it has no coordinates") }
        switch form {
        case .point: geometry.points = [try Self.point(coordinates)]
        case .multiPoint: geometry.points = try Self.list(coordinates).map { try Self.point($0) }
        case .line: geometry.lines = [try line(coordinates)]
        case .multiLine: geometry.lines = try Self.list(coordinates).map { try line($0) }
        case .polygon: geometry.polygons = [try polygon(coordinates, isStrict: isStrict)]
        case .multiPolygon:
            geometry.polygons = try Self.list(coordinates).map { try polygon($0, isStrict: false) }
        case .pair, .collection: break
        }
        return geometry
    }

    // MARK: - Coordinates

    /// Returns the two numbers of a pair of coordinates, an array or an object.
    package static func pair(
        _ value: ShapeValue, allowsFurtherMembers: Bool
    ) throws -> (x: Double, y: Double) {
        guard let items = value.items else { throw GeometryError("a point isn't an array or an object") }
        guard items.count >= 2, let x = items[0].number, let y = items[1].number else {
            throw GeometryError("a point hasn't two numbers")
        }
        guard allowsFurtherMembers || items.count == 2 else { throw GeometryError("a point has more than two numbers") }
        guard x.isFinite, y.isFinite else { throw GeometryError("a coordinate isn't finite") }
        return (x, y)
    }

    private static func list(_ value: ShapeValue) throws -> [ShapeValue] {
        guard case .list(let items) = value, !items.isEmpty else {
            throw GeometryError("the coordinates aren't an array of at least one item")
        }
        return items
    }

    /// Returns the point at a longitude and a latitude, which an altitude may follow.
    package static func point(_ value: ShapeValue) throws -> GeometryPoint {
        let pair = try pair(value, allowsFurtherMembers: true)
        let point = GeometryPoint(pair.x, pair.y)
        guard point.vector != nil else {
            throw GeometryError("a longitude isn't from -180 to 180, or a latitude isn't from -90 to 90")
        }
        return point
    }

    /// Returns the points of a list, without those that are equal to the one before.
    private mutating func points(_ value: ShapeValue) throws -> [Vector3] {
        var points: [Vector3] = []
        for item in try Self.list(value) {
            try work.charge(1)
            guard let vector = try Self.point(item).vector, vector != points.last else { continue }
            points.append(vector)
        }
        return points
    }

    private mutating func line(_ value: ShapeValue) throws -> Polyline { try Polyline(points(value)) }

    private mutating func polygon(_ value: ShapeValue, isStrict: Bool) throws -> SpherePolygon {
        let rings = try Self.list(value).map { item in
            var ring = try points(item)
            guard ring.count > 1, ring.first == ring.last else {
                throw GeometryError("a ring isn't closed: its last point must be the first one again")
            }
            ring.removeLast()
            return ring
        }
        return try SpherePolygon(rings, isStrict: isStrict, &work)
    }

    /// Returns a Boolean value that says whether an object names the strict winding order as its reference system.
    private static func isStrict(_ value: ShapeValue) throws -> Bool {
        guard let system = value["crs"] else { return false }
        guard case .text("name")? = system["type"], case .text(let name)? = system["properties"]?["name"] else {
            throw GeometryError("its reference system isn't an object with a type and a name")
        }
        if name == strictWinding { return true }
        guard systems.contains(name) else { throw GeometryError("its reference system isn't a known one") }
        return false
    }
}
