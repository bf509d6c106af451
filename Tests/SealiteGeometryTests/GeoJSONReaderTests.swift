import Testing

@testable import SealiteGeometry

@Suite("Reading geometries")
struct GeoJSONReaderTests {
    private func numbers(_ values: Double...) -> ShapeValue { .list(values.map { .number($0) }) }

    private func ring(_ pairs: (Double, Double)...) -> ShapeValue { .list(pairs.map { numbers($0.0, $0.1) }) }

    private func object(_ type: String, _ coordinates: ShapeValue) -> ShapeValue {
        .members([("type", .text(type)), ("coordinates", coordinates)])
    }

    private func read(_ value: ShapeValue) throws -> Geometry {
        var reader = GeoJSONReader.ofDocuments(GeometryWork())
        return try reader.geometry(value)
    }

    @Test("accepts points with an altitude, and pairs as arrays or objects")
    func points() throws {
        #expect(try read(object("Point", numbers(1, 2, 3))).singlePoint?.y == 2)
        #expect(try read(numbers(1, 2)).singlePoint?.x == 1)
        #expect(try read(.members([("lng", .number(7)), ("lat", .number(8))])).singlePoint?.y == 8)
        #expect(try read(numbers(500, 2)).singlePoint?.vector == nil)
    }

    @Test("accepts lines, polygons with holes, several of them, and collections")
    func forms() throws {
        let shell = ring((0, 0), (9, 0), (9, 9), (0, 9), (0, 0))
        let hole = ring((1, 1), (1, 2), (2, 2), (2, 1), (1, 1))
        let polygon = try read(object("Polygon", .list([shell, hole])))
        #expect(polygon.polygons.count == 1 && polygon.polygons[0].rings.count == 2)
        #expect(try read(object("MultiPolygon", .list([.list([shell]), .list([hole])]))).polygons.count == 2)
        #expect(try read(object("LineString", ring((0, 0), (0, 0), (1, 1)))).lines[0].vertices.count == 2)
        #expect(try read(object("MultiPoint", ring((0, 0), (1, 1)))).points.count == 2)
        let items: ShapeValue = .list([object("Point", numbers(1, 1)), object("LineString", ring((0, 0), (1, 1)))])
        let all = try read(.members([("type", .text("GeometryCollection")), ("geometries", items)]))
        #expect(all.points.count == 1 && all.lines.count == 1)
    }

    @Test("refuses what isn't a geometry")
    func refusals() {
        let values: [ShapeValue] = [
            .other, .text("Point"), .number(1), .list([]), .list([.number(1)]), .members([]),
            .list([.number(.nan), .number(1)]), object("Point", numbers(181, 0)), object("Point", numbers(0, .nan)),
            object("Point", .list([numbers(0, 0)])), object("point", numbers(0, 0)), object("LineString", ring((0, 0))),
            object("LineString", ring((0, 0), (0, 0))), object("Polygon", .list([ring((0, 0), (1, 0), (1, 1))])),
            object("Polygon", ring((0, 0), (1, 0), (1, 1), (0, 0))),
            object("Polygon", .list([ring((0, 0), (1, 0), (0, 0))])), object("Polygon", .list([])),
            .members([("type", .text("GeometryCollection")), ("geometries", .list([]))]),
            .members([("type", .text("Point")), ("coordinates", numbers(0, 0)), ("crs", .text("other"))]),
        ]
        for value in values { #expect(throws: GeometryError.self) { try read(value) } }
    }

    @Test("obeys the order of a polygon's vertices only with the reference system for it")
    func strictOrder() throws {
        let system: ShapeValue = .members([
            ("type", .text("name")), ("properties", .members([("name", .text(GeoJSONReader.strictWinding))])),
        ])
        let clockwise: ShapeValue = .list([ring((0, 0), (0, 9), (9, 9), (9, 0), (0, 0))])
        let value: ShapeValue = .members([("type", .text("Polygon")), ("coordinates", clockwise), ("crs", system)])
        let large = try read(value)
        var work = GeometryWork()
        #expect(large.hasStrictPolygon)
        #expect(try large.intersects(Geometry(point: 50, 50), &work))
        #expect(try !large.intersects(Geometry(point: 5, 5), &work))
        #expect(try read(object("Polygon", clockwise)).intersects(Geometry(point: 5, 5), &work))
        #expect(throws: GeometryError.self) {
            try read(.members([("type", .text("Point")), ("coordinates", numbers(0, 0)), ("crs", system)]))
        }
    }

    @Test("in the plane, finds points of boxes, circles and polygons")
    func plane() throws {
        var work = GeometryWork()
        let star = PlaneShape.polygon(PlanePolygon([(0, 0), (4, 0), (4, 4), (0, 4)]))
        for (x, y, isInside) in [(1.0, 1.0, true), (0, 2, true), (4, 4, true), (5, 1, false), (2, 4, true)] {
            #expect(try star.contains(x, y, &work) == isInside)
        }
        let circle = PlaneShape.circle(x: 1, y: 1, radius: 0.5)
        #expect(try circle.contains(1.5, 1, &work) && !circle.contains(1.4, 1.4, &work))
        #expect(try PlaneShape.box(PlaneBox((5, 5), (0, 0))).contains(0, 5, &work))
    }
}
