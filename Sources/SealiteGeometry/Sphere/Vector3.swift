internal import Glibc

/// A vector in space; a point on the sphere is one of length 1.
package struct Vector3: Sendable, Hashable {
    package var x: Double
    package var y: Double
    package var z: Double

    package init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    /// The point at a longitude and a latitude, in degrees.
    package init(longitude: Double, latitude: Double) {
        let (theta, phi) = (longitude * Self.degree, latitude * Self.degree)
        let flat = cos(phi)
        self.init(Self.exact(cos(theta) * flat), Self.exact(sin(theta) * flat), Self.exact(sin(phi)))
    }

    private static let degree = Double.pi / 180

    /// Returns a coordinate, or 0 for one so small that products of three wouldn't be exact.
    private static func exact(_ value: Double) -> Double { abs(value) < 0x1p-200 ? 0 : value }

    static func + (left: Vector3, right: Vector3) -> Vector3 {
        Vector3(left.x + right.x, left.y + right.y, left.z + right.z)
    }

    static func - (left: Vector3, right: Vector3) -> Vector3 {
        Vector3(left.x - right.x, left.y - right.y, left.z - right.z)
    }

    static func * (left: Vector3, scale: Double) -> Vector3 { Vector3(left.x * scale, left.y * scale, left.z * scale) }

    static prefix func - (vector: Vector3) -> Vector3 { Vector3(-vector.x, -vector.y, -vector.z) }

    @inline(__always)
    func dot(_ other: Vector3) -> Double { x * other.x + y * other.y + z * other.z }

    @inline(__always)
    func cross(_ other: Vector3) -> Vector3 {
        Vector3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    /// A vector in the direction of the cross product with another point, exact to a few units in the last place also for points
    /// that are close to each other.
    func normal(_ other: Vector3) -> Vector3 { (other + self).cross(other - self) }

    var squaredLength: Double { dot(self) }
    var length: Double { squaredLength.squareRoot() }

    /// The vector of length 1 in the same direction; the vector itself if it is 0.
    var unit: Vector3 {
        let length = length
        return length > 0 ? self * (1 / length) : self
    }

    /// Returns the angle between two vectors, in radians; between points on the sphere it is their distance.
    package func angle(_ other: Vector3) -> Double { atan2(cross(other).length, dot(other)) }

    /// A direction at right angles to the vector, the same for equal vectors: half-open rules count from it.
    var reference: Vector3 {
        let (a, b, c) = (abs(x), abs(y), abs(z))
        let axis =
            a <= b && a <= c
            ? Vector3(1, 0.0071, 0.0043) : b <= c ? Vector3(0.0029, 1, 0.0083) : Vector3(0.0067, 0.0031, 1)
        return cross(axis).unit
    }

    /// Returns a Boolean value that says whether the vector comes before another, by the first coordinate that differs.
    func precedes(_ other: Vector3) -> Bool {
        if x != other.x { return x < other.x }
        if y != other.y { return y < other.y }
        return z < other.z
    }

    subscript(axis: Int) -> Double { axis == 0 ? x : axis == 1 ? y : z }
}
