/// The relations of two edges, which are the shorter arcs of great circles between two points.
enum Crossing {
    /// The relation of two edges.
    enum Relation {
        /// They cross at a point inside of both.
        case crossing
        /// They have an end in common.
        case sharedVertex
        case none
    }

    static func relation(_ a: Vector3, _ b: Vector3, _ c: Vector3, _ d: Vector3) -> Relation {
        if a == c || a == d || b == c || b == d { return .sharedVertex }
        guard a != b, c != d else { return .none }
        // The edges cross if all four triangles of two ends of one edge and one of the other have the same orientation.
        let sign = -Orientation.sign(a, b, c)
        guard Orientation.sign(a, b, d) == sign, -Orientation.sign(c, d, b) == sign, Orientation.sign(c, d, a) == sign
        else { return .none }
        return .crossing
    }

    /// Returns a Boolean value that says whether the directions from `o` to three points are met in the order `a`, `b`, `c` when
    /// turning counter-clockwise; also if `b` is the same direction as `a` or `c`, and for all if `a` and `c` are the same.
    static func isOrdered(_ a: Vector3, _ b: Vector3, _ c: Vector3, around o: Vector3) -> Bool {
        var sum = 0
        if Orientation.sign(b, o, a) >= 0 { sum += 1 }
        if Orientation.sign(c, o, b) >= 0 { sum += 1 }
        if Orientation.sign(a, o, c) > 0 { sum += 1 }
        return sum >= 2
    }

    /// Returns a Boolean value that says whether walking along the edge from `a` to `b` changes sides at the edge from `c` to `d`:
    /// they cross, or they share a vertex and the half-open rule counts it, by which each of the rings that divide the area around a
    /// vertex among them contains it once.
    static func changesSide(_ a: Vector3, _ b: Vector3, _ c: Vector3, _ d: Vector3) -> Bool {
        switch relation(a, b, c, d) {
        case .none: return false
        case .crossing: return true
        case .sharedVertex: break
        }
        guard a != b, c != d else { return false }
        if a == c { return b == d || isOrdered(a.reference, d, b, around: a) }
        if b == d { return isOrdered(b.reference, c, a, around: b) }
        if a == d { return b == c || isOrdered(a.reference, c, b, around: a) }
        return isOrdered(b.reference, d, a, around: b)
    }

    /// Returns the point at which two edges cross.
    static func point(_ a: Vector3, _ b: Vector3, _ c: Vector3, _ d: Vector3) -> Vector3 {
        let found = a.normal(b).unit.cross(c.normal(d).unit).unit
        return found.dot(a + b + c + d) < 0 ? -found : found
    }

    /// Returns the distance of a point from an edge, in radians.
    static func distance(_ point: Vector3, from a: Vector3, to b: Vector3) -> Double {
        let ends = min(point.angle(a), point.angle(b))
        let normal = a.normal(b)
        let length = normal.length
        guard length > 0 else { return ends }
        // The nearest point of the great circle is on the edge if it is on the inner side of both ends.
        let toA = normal.cross(a), toB = b.cross(normal)
        guard toA.dot(point) > 0, toB.dot(point) > 0 else { return ends }
        let nearest = (point - normal * (normal.dot(point) / (length * length))).unit
        return min(ends, point.angle(nearest))
    }
}
