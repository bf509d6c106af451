internal import Glibc

/// All points of the sphere that are at most some distance away from a point.
package struct Cap: Sendable {
    package let center: Vector3
    /// The greatest distance, in radians: at most π.
    package let radius: Double
    /// The square of the greatest straight distance.
    private let squaredChord: Double

    package init(_ center: Vector3, radius: Double) {
        self.center = center
        self.radius = min(radius, .pi)
        let half = sin(self.radius / 2)
        // Twice the height, computed so that rounding errors are those of MongoDB.
        squaredChord = 2 * (2 * half * half)
    }

    /// A cap of the whole sphere.
    static let full = Cap(Vector3(0, 0, 1), radius: .pi)

    /// Creates a cap around points, and around the edges between them if its radius is less than π/2.
    init(around points: [Vector3]) {
        let sum = points.reduce(Vector3(0, 0, 0)) { $0 + $1 }
        let center = sum.squaredLength > 0 ? sum.unit : points.first ?? Vector3(0, 0, 1)
        self.init(center, radius: (points.map { $0.angle(center) }.max() ?? 0) + 1e-14)
    }

    package func contains(_ point: Vector3) -> Bool { (center - point).squaredLength <= squaredChord || radius >= .pi }

    /// Returns a Boolean value that says whether a point may be in the cap, but for a rounding error or what ``Tolerance`` allows.
    @inline(__always)
    func mayContain(_ point: Vector3) -> Bool {
        (center - point).squaredLength <= squaredChord + 1e-8 * squaredChord.squareRoot() + 1e-15 || radius >= .pi
    }

    /// Returns a Boolean value that says whether two caps may have a point in common.
    func mayMeet(_ other: Cap) -> Bool { center.angle(other.center) <= radius + other.radius + 1e-8 }

    /// Returns a Boolean value that says whether a line is in the cap: the opposite point isn't nearer to it than to the cap.
    package func contains(_ line: Polyline, _ work: inout GeometryWork) throws -> Bool {
        guard radius < .pi else { return true }
        return try line.distance(-center, &work) >= .pi - radius
    }

    package func contains(_ polygon: SpherePolygon, _ work: inout GeometryWork) throws -> Bool {
        guard radius < .pi else { return true }
        return try polygon.distance(-center, &work) >= .pi - radius
    }
}
