@testable import SealiteFunctions
@testable import SealiteGeometry
@testable import SealiteValues

/// Geometries of documents and searches. The first byte decides what the rest is: Extended JSON of an array of two geometries; or the
/// coordinates of two rings, in steps that make common vertices and edges likely.
final class GeometriesFuzz: FuzzTarget {
    init() throws {}

    /// The work, in pairs of edges, that one input may take.
    private static let limit = 300_000

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let mode = input.first else { return }
        let rest = Array(input.dropFirst())
        do {
            if mode % 2 == 0 {
                guard case .array(let items)? = try? BSON(extendedJSON: rest), items.count == 2 else { return }
                var reader = GeoJSONReader.ofDocuments(GeometryWork(limit: Self.limit))
                try check(reader.geometry(ShapeValue(items[0])), reader.geometry(ShapeValue(items[1])))
            } else {
                let middle = rest.count / 2
                try check(Self.ring(rest[..<middle]), Self.ring(rest[middle...]))
            }
        } catch let error as BrokenProperty {
            throw error
        } catch {
            // What isn't a geometry, or takes too much work, is refused.
        }
    }

    private static func ring(_ bytes: ArraySlice<UInt8>) throws -> Geometry {
        var work = GeometryWork(limit: limit)
        let values = bytes.map { Double(Int8(bitPattern: $0)) }
        let points = stride(from: 0, to: values.count - 1, by: 2).map {
            Vector3(longitude: values[$0], latitude: values[$0 + 1] / 2)
        }
        return Geometry(try SpherePolygon([points], &work))
    }

    private func check(_ first: Geometry, _ second: Geometry) throws {
        var work = GeometryWork(limit: Self.limit)
        guard first.isOnSphere, second.isOnSphere else { return }
        let meet = try first.intersects(second, &work)
        try BrokenProperty.unless(try second.intersects(first, &work) == meet, "two geometries meet only one way")
        let isWithin = try first.contains(second, &work)
        let hasArea = !first.polygons.isEmpty
        try BrokenProperty.unless(
            !isWithin || meet || !hasArea, "a geometry is within another one, but they don't meet")
        guard meet || isWithin && hasArea, !first.hasStrictPolygon, !second.hasStrictPolygon else { return }
        // A search by the first one finds the second one in an index.
        let cells = try SphereCell.cover(first, count: 24, &work)
        let larger = Set(cells.flatMap(\.ancestors))
        let isFound = try SphereCell.entries(of: second, &work).contains { entry in
            larger.contains(entry) || cells.contains { $0.range.contains(entry.id) }
        }
        try BrokenProperty.unless(isFound, "the cells of two geometries that meet are apart")
    }

    /// First inputs: geometries of all forms, polygons with holes, at the poles and at the antimeridian, and rings that share edges.
    static let seeds: [[UInt8]] = {
        let square = #"{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]}"#
        let pairs = [
            square + "," + #"{"type":"Point","coordinates":[10,5]}"#,
            square + "," + #"{"type":"LineString","coordinates":[[5,5],[20,5]]}"#,
            square + "," + #"{"type":"Polygon","coordinates":[[[10,0],[20,0],[20,10],[10,10],[10,0]]]}"#,
            #"{"type":"Polygon","coordinates":[[[-9,-9],[9,-9],[9,9],[-9,9],[-9,-9]],[[-5,-5],[5,-5],[5,5],[-5,5],[-5,-5]]]},[0,0]"#,
            #"{"type":"Polygon","coordinates":[[[170,80],[-170,80],[90,85],[170,80]]]},{"lng":180,"lat":90}"#,
            #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,1]}]},"#
                + #"{"type":"MultiPoint","coordinates":[[1,1],[2,2]]}"#,
            #"{"type":"Polygon","coordinates":[[[0,0],[0,9],[9,9],[9,0],[0,0]]],"crs":{"type":"name","properties":"#
                + #"{"name":"urn:x-mongodb:crs:strictwinding:EPSG:4326"}}},{"type":"Point","coordinates":[50,50]}"#,
            #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]},"#
                + #"{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[[-5,0],[5,0]]]}"#,
        ]
        let texts = pairs.map { [0] + Array("[\($0)]".utf8) }
        let rings: [[Int8]] = [
            [0, 0, 10, 0, 10, 10, 0, 10, 10, 0, 20, 0, 20, 10, 10, 10],
            [0, 0, 10, 0, 10, 10, 0, 10, 0, 0, 5, 0, 5, 5, 0, 5],
            [-9, -9, 9, -9, 9, 9, -9, 9, 1, 1, 2, 1, 2, 2, 1, 2], [0, 0, 10, 0, 5, 9, 0, 3, 10, 3, 5, -9],
        ]
        return texts + rings.map { [1] + $0.map { UInt8(bitPattern: $0) } }
    }()
}
