import SealiteDatabase
import SealiteFunctions
import SealiteQuery
import SealiteTestSupport
import Testing

@testable import SealiteModel

private struct Place: Model {
    var id: Int
    var point: GeoPoint
    var other: GeoPoint?
}

@Suite("objects in an area")
struct GeoAreaTests {
    private let store: ModelStore
    private let places: [Place]
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.store(Place.self)
        var random = SeededRandom(seed: 61)
        var places: [Place] = []
        for id in 0..<300 {
            let point = try #require(
                GeoPoint(
                    latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            )
            places.append(Place(id: id, point: point, other: id.isMultiple(of: 2) ? point : nil))
        }
        self.places = places
        try store.write { [places] transaction in for place in places { try transaction.save(place) } }
    }

    private func point(_ latitude: Double, _ longitude: Double) throws -> GeoPoint {
        try #require(GeoPoint(latitude: latitude, longitude: longitude))
    }

    private func ids(_ condition: Condition<Place>) throws -> [Int] {
        try store.objects(Place.self).where(condition).all().map(\.id).sorted()
    }

    private func expected(_ isIn: (GeoPoint) -> Bool) -> [Int] { places.filter { isIn($0.point) }.map(\.id) }

    /// Creates an index on the points.
    private func makeIndex() throws {
        try store.collection(of: Place.self).createIndex(
            "places", KeyDefinition(grid: .sphere, paths: ["point", "other"]))
    }

    @Test("a circle has the points within a distance in kilometres, miles, radians or degrees")
    func circle() throws {
        let center = try point(40, 179)
        // The mean radius of GeoPoint.distance is another one.
        let near = expected { $0.distance(to: center) * 6378.1 / 6371.0088 <= 3_000_000 }
        #expect(near.count > 5)
        for isIndexed in [false, true] {
            if isIndexed { try makeIndex() }
            for radius in [
                GeoDistance.kilometres(3000), .miles(3000 / 1.609344), .radians(3000 / 6378.1),
                .degrees(3000 / 6378.1 * 180 / .pi),
            ] {
                #expect(try ids(.within(\.point, .circle(center: center, radius: radius))) == near)
            }
            #expect(
                try ids(.within(\.other, .circle(center: center, radius: .kilometres(3000))))
                    == near.filter { $0.isMultiple(of: 2) })
        }
        let query = store.objects(Place.self).where(.within(\.point, .circle(center: center, radius: .kilometres(9))))
        #expect(try query.explain().contains("places"))
    }

    @Test("a box lies between meridians and parallels, also across the antimeridian")
    func box() throws {
        let box = GeoArea.box(southWest: try point(-20, 10), northEast: try point(30, 95))
        let crossing = GeoArea.box(southWest: try point(-20, 120), northEast: try point(30, -130))
        let inBox = expected { (-20...30).contains($0.latitude) && (10...95).contains($0.longitude) }
        let inCrossing = expected { (-20...30).contains($0.latitude) && !(-130..<120).contains($0.longitude) }
        #expect(!inBox.isEmpty && !inCrossing.isEmpty)
        for isIndexed in [false, true] {
            if isIndexed { try makeIndex() }
            #expect(try ids(.within(\.point, box)) == inBox)
            #expect(try ids(.within(\.point, crossing)) == inCrossing)
            #expect(try ids(!.within(\.point, box)).count == places.count - inBox.count)
        }
    }

    @Test("a polygon has no points in its holes, and an invalid one is refused")
    func polygon() throws {
        let ring = try [point(-60, -60), point(-60, 60), point(60, 60), point(60, -60)]
        let hole = try [point(-30, -30), point(-30, 30), point(30, 30), point(30, -30)]
        let whole = try ids(.within(\.point, .polygon(ring)))
        let inHole = try ids(.within(\.point, .polygon(hole)))
        #expect(!inHole.isEmpty && Set(inHole).isSubset(of: whole))
        for isIndexed in [false, true] {
            if isIndexed { try makeIndex() }
            #expect(try ids(.within(\.point, .polygon(ring, holes: [hole]))) == whole.filter { !inHole.contains($0) })
        }
        let crossed = try [point(0, 0), point(2, 2), point(0, 2), point(2, 0)]
        for area in [
            GeoArea.polygon(crossed), .polygon(ring, holes: [ring]), .polygon([]),
            .circle(center: ring[0], radius: .kilometres(-1)),
        ] {
            #expect(throws: DatabaseError.self) { try ids(.within(\.point, area)) }
        }
    }
}
