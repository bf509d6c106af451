internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteQuery
internal import SealiteQueryLanguage
internal import SealiteValues

/// A distance on the Earth, a sphere of 6,378.1 km.
public struct GeoDistance: Sendable, Hashable {
    /// The distance as an angle at the centre of the Earth, in radians.
    public let radians: Double

    /// A distance as an angle in radians.
    public static func radians(_ radians: Double) -> GeoDistance { GeoDistance(radians: radians) }

    /// A distance as an angle in degrees.
    public static func degrees(_ degrees: Double) -> GeoDistance { GeoDistance(radians: degrees * .pi / 180) }

    /// A distance in kilometres.
    public static func kilometres(_ kilometres: Double) -> GeoDistance { GeoDistance(radians: kilometres / 6378.1) }

    /// A distance in miles of 1,609.344 m.
    public static func miles(_ miles: Double) -> GeoDistance { .kilometres(miles * 1.609344) }

    private init(radians: Double) { self.radians = radians }
}

/// An area on the Earth, in which conditions look for points (Documentation/Geospatial.md).
public struct GeoArea: Sendable {
    /// The parts of the area, each a shape as `GEO_WITHIN` takes it.
    fileprivate let shapes: [MongoDocument]

    /// The points that are at most a distance away from a centre.
    public static func circle(center: GeoPoint, radius: GeoDistance) -> GeoArea {
        GeoArea(shapes: [["$centerSphere": [pair(center), .double(radius.radians)]]])
    }

    /// The points between two meridians and two parallels. If the first longitude is greater than the second, the box crosses the
    /// antimeridian.
    public static func box(southWest: GeoPoint, northEast: GeoPoint) -> GeoArea {
        guard southWest.longitude > northEast.longitude else {
            return GeoArea(shapes: [["$box": [pair(southWest), pair(northEast)]]])
        }
        let (south, north) = (BSON.double(southWest.latitude), BSON.double(northEast.latitude))
        return GeoArea(shapes: [
            ["$box": [pair(southWest), [180, north]]], ["$box": [[-180, south], pair(northEast)]],
        ])
    }

    /// The points within a ring, whose edges are arcs of great circles, but not within its holes. A ring needs not repeat its first
    /// point at its end.
    ///
    /// A query with the area throws `DatabaseError` with `invalidParameter` if edges cross, a ring has fewer than three points, or a
    /// hole isn't within the ring.
    public static func polygon(_ ring: [GeoPoint], holes: [[GeoPoint]] = []) -> GeoArea {
        let rings = ([ring] + holes).map { ring -> BSON in
            let isClosed = ring.count > 1 && ring.first == ring.last
            return .array((isClosed ? ring : ring + ring.prefix(1)).map(pair))
        }
        return GeoArea(shapes: [["$geometry": ["type": "Polygon", "coordinates": .array(rings)]]])
    }

    private static func pair(_ point: GeoPoint) -> BSON { [.double(point.longitude), .double(point.latitude)] }

    /// The condition that a geometry is in the area.
    fileprivate func condition(on geometry: Tree.Expression) throws -> Tree.Expression {
        let terms = try shapes.map { shape -> Tree.Expression in
            let text = shape.extendedJSON(.relaxed)
            guard SearchShape(text: text) != nil else {
                throw DatabaseError(
                    .invalidParameter, "the area of a condition isn't valid",
                    hint:
                        "an area needs a radius from 0 on, or rings of at least three points whose edges don't cross, and holes within the first ring"
                )
            }
            return .call(FunctionCall("GEO_WITHIN", [geometry, .literal(.string(text))]))
        }
        return terms.count == 1 ? terms[0] : .or(terms)
    }
}

extension Condition {
    /// Returns the condition that a point is in an area.
    public static func within(_ member: KeyPath<Root, GeoPoint>, _ area: GeoArea) -> Condition {
        Condition(member) { try area.condition(on: $0.expression) }
    }

    /// Returns the condition that an optional point is in an area; false for a member that is nil.
    public static func within(_ member: KeyPath<Root, GeoPoint?>, _ area: GeoArea) -> Condition {
        Condition(member, isTwoValued: false) { try area.condition(on: $0.expression) }
    }
}
