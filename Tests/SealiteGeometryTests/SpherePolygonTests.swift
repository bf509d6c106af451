import SealiteTestSupport
import Testing

@testable import SealiteGeometry

@Suite("Polygons on the sphere")
struct SpherePolygonTests {
    private func ring(_ pairs: [(Double, Double)]) -> [Vector3] {
        pairs.map { Vector3(longitude: $0.0, latitude: $0.1) }
    }

    private func square(_ x: Double, _ y: Double, _ size: Double) -> [Vector3] {
        ring([(x, y), (x + size, y), (x + size, y + size), (x, y + size)])
    }

    private func polygon(_ rings: [Vector3]..., isStrict: Bool = false) throws -> SpherePolygon {
        var work = GeometryWork()
        return try SpherePolygon(rings, isStrict: isStrict, &work)
    }

    private func point(_ longitude: Double, _ latitude: Double) -> Vector3 {
        Vector3(longitude: longitude, latitude: latitude)
    }

    @Test("contain the points inside, whichever way the vertices go around", arguments: [false, true])
    func points(isReversed: Bool) throws {
        var work = GeometryWork()
        let vertices = square(-10, -10, 20)
        let area = try polygon(isReversed ? vertices.reversed() : vertices)
        #expect(try area.touches(point(0, 0), &work))
        #expect(try area.touches(point(9.999, 9.9), &work))
        #expect(try !area.touches(point(10.001, 0), &work))
        #expect(try !area.touches(point(179, 0), &work))
        // The upper edge is an arc of a great circle, which is farther north than its ends.
        #expect(try area.touches(point(0, 10.1), &work))
        #expect(try !area.touches(point(0, 10.2), &work))
    }

    @Test("contain their vertices and the points on their edges")
    func boundary() throws {
        var work = GeometryWork()
        let area = try polygon(square(0, 0, 10))
        for place in [point(0, 0), point(10, 0), point(10, 10), point(0, 5), point(5, 0), point(10, 3)] {
            #expect(try area.touches(place, &work))
        }
    }

    @Test("that divide the sphere among them contain each point once by the half-open rule, vertices included")
    func tiling() throws {
        var work = GeometryWork()
        var tiles: [SpherePolygon] = []
        for x in stride(from: -180.0, to: 180, by: 30) {
            for y in stride(from: -60.0, to: 60, by: 30) { tiles.append(try polygon(square(x, y, 30))) }
            for pole in [-90.0, 90] {
                let base = pole < 0 ? -60.0 : 60
                tiles.append(try polygon(ring([(x, base), (x + 30, base), (0, pole)])))
            }
        }
        var random = SeededRandom(seed: 5)
        for number in 0..<400 {
            let longitude =
                number < 200
                ? Double(Int.random(in: -6...5, using: &random)) * 30 : .random(in: -180...180, using: &random)
            let latitude =
                number < 200
                ? Double(Int.random(in: -2...2, using: &random)) * 30 : .random(in: -90...90, using: &random)
            let place = point(longitude, latitude)
            let count = try tiles.count { try $0.contains(place, &work) }
            // 180° and −180° differ by a rounding error, so that tiles on both sides leave a gap there or overlap.
            #expect(count == 1 || longitude == -180, "at \(longitude), \(latitude)")
        }
    }

    @Test("larger than a hemisphere are those with the strict order of vertices")
    func strictOrder() throws {
        var work = GeometryWork()
        let large = try polygon(square(-10, -10, 20).reversed(), isStrict: true)
        #expect(try !large.touches(point(0, 0), &work))
        #expect(try large.touches(point(50, 50), &work))
        #expect(try large.touches(point(180, 0), &work))
        #expect(try large.contains(polygon(square(40, 40, 5)), &work))
        #expect(try !large.contains(polygon(square(-2, -2, 4)), &work))
    }

    @Test("lack their holes, and contain the holes' boundaries")
    func holes() throws {
        var work = GeometryWork()
        let area = try polygon(square(-10, -10, 20), square(-5, -5, 10))
        #expect(try !area.touches(point(0, 0), &work))
        #expect(try area.touches(point(7, 7), &work))
        #expect(try area.touches(point(-5, 0), &work))
        #expect(try area.contains(polygon(square(6, 6, 2)), &work))
        #expect(try !area.contains(polygon(square(-2, -2, 4)), &work))
        #expect(try !area.contains(polygon(square(-8, -8, 16)), &work))
        #expect(try !area.contains(polygon(square(-5, -5, 10)), &work))
        #expect(try !area.intersects(polygon(square(-5, -5, 10)), &work))
        #expect(try area.intersects(polygon(square(-6, -6, 12)), &work))
    }

    @Test("contain themselves, and share no area with neighbours at an edge or a vertex")
    func neighbours() throws {
        var work = GeometryWork()
        let area = try polygon(square(0, 0, 10))
        #expect(try area.contains(area, &work))
        #expect(try area.intersects(area, &work))
        for neighbour in [square(10, 0, 10), square(10, 10, 10), square(0, 10, 10), square(-10, 0, 10)] {
            let other = try polygon(neighbour)
            #expect(try !area.intersects(other, &work))
            #expect(try !area.contains(other, &work))
        }
        // Half of an edge of the area is on one side of it or the other, the same for the squares above and below.
        #expect(try area.contains(polygon(square(0, 0, 5)), &work) == area.intersects(polygon(square(0, -5, 5)), &work))
    }

    @Test("are refused if their rings don't bound one area")
    func flaws() {
        #expect(throws: GeometryError.self) { try polygon(ring([(0, 0), (2, 2), (2, 0), (0, 2)])) }
        #expect(throws: GeometryError.self) { try polygon(ring([(0, 0), (1, 0)])) }
        #expect(throws: GeometryError.self) { try polygon(ring([(0, 0), (1, 0), (0, 0), (0, 1)])) }
        #expect(throws: GeometryError.self) { try polygon(square(0, 0, 5), square(10, 10, 5)) }
        #expect(throws: GeometryError.self) { try polygon(square(0, 0, 5), square(0, 0, 2)) }
        #expect(throws: GeometryError.self) { try polygon(square(0, 0, 9), square(1, 1, 4), square(2, 2, 1)) }
        #expect(throws: GeometryError.self) { try polygon(square(0, 0, 9), square(1, 1, 4), square(3, 3, 4)) }
        #expect(throws: GeometryError.self) { try polygon(square(0, 0, 9), square(1, 1, 2), square(1, 1, 2)) }
        #expect(throws: Never.self) { try polygon(square(0, 0, 9), square(1, 1, 2), square(4, 4, 2)) }
    }

    @Test("contain lines inside and along their boundary, but none that leaves them")
    func lines() throws {
        var work = GeometryWork()
        let area = try polygon(ring([(0, 0), (10, 0), (10, 10), (6, 10), (6, 4), (4, 4), (4, 10), (0, 10)]))
        func line(_ pairs: (Double, Double)...) throws -> Polyline { try Polyline(ring(pairs)) }
        #expect(try area.contains(line((1, 1), (9, 1)), &work))
        #expect(try area.contains(line((0, 0), (10, 0)), &work))
        #expect(try area.contains(line((0, 2), (0, 8)), &work))
        #expect(try !area.contains(line((1, 8), (9, 8)), &work))
        #expect(try !area.contains(line((1, 1), (20, 1)), &work))
        #expect(try area.touches(line((1, 8), (9, 8)), &work))
        #expect(try area.touches(line((5, 8), (20, 8)), &work))
        #expect(try !area.touches(line((5, 8), (5, 5)), &work))
    }

    @Test(
        "of 10,000 vertices are read in a time that grows little faster than their number, and hostile ones end at the limit of work"
    )
    func manyVertices() throws {
        func star(_ count: Int) -> [Vector3] {
            ring(
                (0..<count).map { index in
                    let angle = 2 * Double.pi * Double(index) / Double(count)
                    let radius = index.isMultiple(of: 2) ? 10.0 : 9.99
                    return (radius * cosine(angle), radius * cosine(angle - .pi / 2))
                })
        }
        var work = GeometryWork(limit: 4_000_000)
        let area = try SpherePolygon([star(10_000)], &work)
        #expect(try area.touches(point(3, 3), &work))
        // Edges that all lie over each other: none of them can be left out.
        let comb = ring(
            (0..<6_000).map { (Double($0) * 1e-9, $0.isMultiple(of: 2) ? -50.0 : 50) } + [(20, 0), (1, -70)])
        var limited = GeometryWork(limit: 1_000_000)
        #expect(throws: GeometryError.tooComplex) { try SpherePolygon([comb], &limited) }
    }

    private func cosine(_ angle: Double) -> Double { Vector3(longitude: angle * 180 / .pi, latitude: 0).x }
}
