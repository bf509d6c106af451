import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("conditions on geometries")
struct ShapeFilterTests {
    private func matches(_ conditions: MongoDocument, _ place: BSON) throws -> Bool {
        try Filter(parsing: ["place": .document(conditions)]).matches(Row(["place": place]))
    }

    private func code(_ filter: MongoDocument) -> Int? {
        do {
            _ = try Filter(parsing: filter)
            return nil
        } catch { return (error as? MongoError)?.code }
    }

    private func point(_ x: Double, _ y: Double) -> BSON {
        ["type": "Point", "coordinates": [.double(x), .double(y)]]
    }

    private func square(_ x: Int32, _ y: Int32, _ size: Int32) -> BSON {
        let corners: [BSON] = [
            [.int32(x), .int32(y)], [.int32(x + size), .int32(y)], [.int32(x + size), .int32(y + size)],
            [.int32(x), .int32(y + size)], [.int32(x), .int32(y)],
        ]
        return ["type": "Polygon", "coordinates": [.array(corners)]]
    }

    @Test("$geoWithin with $geometry finds points, lines and polygons that are inside, and items of arrays")
    func within() throws {
        let within: MongoDocument = ["$geoWithin": ["$geometry": square(-10, -10, 20)]]
        #expect(try matches(within, point(3, 3)))
        #expect(try matches(within, [3, 3]))
        #expect(try matches(within, ["lng": 3, "lat": 3]))
        #expect(try !matches(within, point(30, 3)))
        #expect(try matches(within, ["type": "LineString", "coordinates": [[0, 0], [5, 5]]]))
        #expect(try !matches(within, ["type": "LineString", "coordinates": [[0, 0], [50, 5]]]))
        #expect(try matches(within, square(1, 1, 2)))
        #expect(try !matches(within, square(5, 5, 20)))
        #expect(try matches(within, [point(40, 40), point(1, 1)]))
        for other in ["here", 7, .null, [], ["type": "Point", "coordinates": [200, 0]]] as [BSON] {
            #expect(try !matches(within, other))
        }
    }

    @Test("the plane shapes compare coordinates, also beyond longitudes and latitudes")
    func planeShapes() throws {
        #expect(try matches(["$geoWithin": ["$box": [[0, 0], [500, 500]]]], [300, 400]))
        #expect(try matches(["$geoWithin": ["$center": [[0, 0], 5]]], [3, 4]))
        #expect(try !matches(["$geoWithin": ["$center": [[0, 0], 5]]], [4, 4]))
        #expect(try matches(["$geoWithin": ["$polygon": [[0, 0], [9, 0], [0, 9]]]], point(2, 2)))
        #expect(try !matches(["$geoWithin": ["$box": [[0, 0], [9, 9]]]], square(1, 1, 1)))
    }

    @Test("$centerSphere measures in radians on the sphere")
    func centerSphere() throws {
        let circle: MongoDocument = ["$geoWithin": ["$centerSphere": [[0, 60], .double(500 / 6378.1)]]]
        // Eight degrees of longitude are half as far at this latitude as at the equator.
        #expect(try matches(circle, [8, 60]))
        #expect(try !matches(circle, [0, 55]))
    }

    @Test("$geoIntersects finds what touches or crosses")
    func intersects() throws {
        let crossing: MongoDocument = [
            "$geoIntersects": ["$geometry": ["type": "LineString", "coordinates": [[-5, 1], [5, 1]]]]
        ]
        #expect(try matches(crossing, square(0, 0, 3)))
        #expect(try matches(crossing, ["type": "LineString", "coordinates": [[0, 0], [0, 3]]]))
        #expect(try !matches(crossing, square(0, 2, 3)))
        #expect(try matches(["$geoIntersects": ["$geometry": square(0, 0, 9)]], square(5, 5, 9)))
        #expect(try !matches(["$geoIntersects": ["$geometry": square(0, 0, 9)]], square(9, 0, 9)))
    }

    @Test("a polygon with the strict winding order may be larger than a hemisphere")
    func strictWinding() throws {
        let name: BSON = "urn:x-mongodb:crs:strictwinding:EPSG:4326"
        let clockwise: BSON = [[[0, 0], [0, 9], [9, 9], [9, 0], [0, 0]]]
        let area: BSON = [
            "type": "Polygon", "coordinates": clockwise, "crs": ["type": "name", "properties": ["name": name]],
        ]
        #expect(try matches(["$geoWithin": ["$geometry": area]], [100, -50]))
        #expect(try !matches(["$geoWithin": ["$geometry": area]], [4, 4]))
    }

    @Test("a search for the nearest can't be one for words, nor choose the item of a projection")
    func nearAndOthers() throws {
        let near: BSON = ["$near": ["$geometry": point(1, 2)]]
        let text: BSON = ["$search": "a"]
        #expect(code(["$text": text, "place": near]) == 2)
        #expect(code(["place": near, "$text": text]) == 2)
        #expect(code(["place": near]) == nil)
        let error = #expect(throws: MongoError.self) {
            try FindProjection(["places": ["$elemMatch": ["place": near]]], FilterContext())
        }
        #expect(error?.code == 5_626_500)
    }

    @Test("what MongoDB refuses is refused with its code")
    func refusals() {
        let near: BSON = ["$geometry": point(0, 0)]
        let refused: [(MongoDocument, Int)] = [
            (["p": ["$geoWithin": ["$geometry": point(0, 0)]]], 2),
            (["p": ["$geoWithin": ["$geometry": square(0, 0, 0)]]], 2),
            (["p": ["$geoWithin": ["$box": [[0, 0]]]]], 2), (["p": ["$geoWithin": ["$center": [[0, 0], -1]]]], 2),
            (["p": ["$geoWithin": ["$centerSphere": [[200, 0], 1]]]], 2), (["p": ["$geoWithin": [:]]], 2),
            (["p": ["$geoIntersects": ["$geometry": point(0, 91)]]], 2), (["p": ["$near": ["$geometry": 7]]], 2),
            (["p": ["$near": ["$geometry": point(0, 0), "$maxDistance": -1]]], 2), (["p": ["$maxDistance": 1]], 2),
            (["p": ["$near": [0, 0], "$minDistance": "x"]], 16893),
            (["p": ["$near": [0, 0], "$minDistance": -1]], 16894),
            (["p": ["$near": [0, 0], "$maxDistance": "x"]], 16895),
            (["p": ["$near": [0, 0], "$maxDistance": -1]], 16896),
            (["p": ["$near": [0, 0], "$eq": 1]], 34413), (["$or": [["p": ["$near": near]], ["q": 1]]], 2),
            (["p": ["$near": near], "q": ["$near": near]], 2), (["p": ["$not": ["$near": near]]], 2),
            (["p": ["$geoWithin": ["$box": [[0, 0], [1, 1]]], "$exists": true]], 2),
        ]
        for (filter, expected) in refused { #expect(code(filter) == expected, "\(filter)") }
        #expect(code(["$and": [["p": ["$near": near]], ["q": 1]]]) == nil)
    }
}
