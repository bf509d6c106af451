import SealiteTestSupport
import Testing

@testable import SealiteGeometry

@Suite("The side of a great circle")
struct OrientationTests {
    private func point(_ longitude: Double, _ latitude: Double) -> Vector3 {
        Vector3(longitude: longitude, latitude: latitude)
    }

    @Test("is counter-clockwise for points seen from outside that turn to the left")
    func plainPoints() {
        #expect(Orientation.sign(point(0, 0), point(10, 0), point(5, 5)) == 1)
        #expect(Orientation.sign(point(10, 0), point(0, 0), point(5, 5)) == -1)
        #expect(Orientation.sign(point(0, 0), point(10, 0), point(0, 0)) == 0)
    }

    @Test("changes with each exchange of points, also of points on one meridian, on the equator and at the poles")
    func antisymmetry() {
        var random = SeededRandom(seed: 71)
        for _ in 0..<2_000 {
            let line = [0.0, 90, -90, 180, 45][Int.random(in: 0..<5, using: &random)]
            let isMeridian = Bool.random(using: &random)
            let points = (0..<3).map { _ in
                isMeridian
                    ? point(line, Double(Int.random(in: -90...90, using: &random)))
                    : point(Double(Int.random(in: -180...180, using: &random)), 0)
            }
            let sign = Orientation.sign(points[0], points[1], points[2])
            #expect((sign == 0) == (Set(points).count < 3))
            #expect(Orientation.sign(points[1], points[2], points[0]) == sign)
            #expect(Orientation.sign(points[1], points[0], points[2]) == -sign)
            #expect(Orientation.sign(points[0], points[2], points[1]) == -sign)
        }
    }

    @Test(
        "is that of the moved points when four points on a great circle are compared: exactly one order of sides is possible"
    )
    func transitivity() {
        // Of the edges of a chain along the equator, a point on it is on a side of each; walking there and back crosses none.
        let chain = (0..<20).map { point(Double($0), 0) }
        for (a, b) in zip(chain, chain.dropFirst()) {
            for other in chain where other != a && other != b {
                #expect(Orientation.sign(a, b, other) == -Orientation.sign(b, a, other))
                let isCrossed = Crossing.relation(a, b, other, point(10.5, 40)) == .crossing
                let isCrossedBelow = Crossing.relation(a, b, other, point(10.5, -40)) == .crossing
                #expect(!(isCrossed && isCrossedBelow))
            }
        }
    }

    @Test("adds products without rounding")
    func exactSum() {
        var sum = ExactSum()
        sum.add(1e100, 1e100, 1)
        sum.add(1, 1e-100, 1e-40)
        sum.add(-1e100, 1e100, 1)
        #expect(sum.sign == 1)
        sum.add(-1, 1e-100, 1e-40)
        #expect(sum.sign == 0)
    }
}
