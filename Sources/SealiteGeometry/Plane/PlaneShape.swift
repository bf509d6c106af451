/// A rectangle in the plane, with its sides.
package struct PlaneBox: Sendable, Equatable {
    package var low: (x: Double, y: Double)
    package var high: (x: Double, y: Double)

    /// Creates the rectangle of two opposite corners.
    package init(_ first: (x: Double, y: Double), _ second: (x: Double, y: Double)) {
        low = (min(first.x, second.x), min(first.y, second.y))
        high = (max(first.x, second.x), max(first.y, second.y))
    }

    package static func == (left: PlaneBox, right: PlaneBox) -> Bool {
        left.low == right.low && left.high == right.high
    }

    func contains(_ x: Double, _ y: Double) -> Bool { x >= low.x && x <= high.x && y >= low.y && y <= high.y }

    package func meets(_ other: PlaneBox) -> Bool {
        low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y
    }
}

/// A shape in the plane that longitudes and latitudes span, where straight lines are the shortest.
package enum PlaneShape: Sendable {
    case box(PlaneBox)
    case circle(x: Double, y: Double, radius: Double)
    case polygon(PlanePolygon)

    /// Returns a Boolean value that says whether a point is in the shape or, but for some edges of polygons, on its boundary.
    package func contains(_ x: Double, _ y: Double, _ work: inout GeometryWork) throws -> Bool {
        switch self {
        case .box(let box): return box.contains(x, y)
        case .circle(let centerX, let centerY, let radius):
            let distance = Self.distance(x, y, centerX, centerY)
            // A point at the radius is in the circle, whatever the rounding of its coordinates.
            return distance <= radius || distance - radius <= 1e-14 * radius
        case .polygon(let polygon): return try polygon.contains(x, y, &work)
        }
    }

    /// Returns the straight distance of two points.
    package static func distance(_ x: Double, _ y: Double, _ otherX: Double, _ otherY: Double) -> Double {
        let (a, b) = (x - otherX, y - otherY)
        if a == 0 { return abs(b) }
        if b == 0 { return abs(a) }
        return (a * a + b * b).squareRoot()
    }

    /// The rectangle around the shape.
    package var bound: PlaneBox {
        switch self {
        case .box(let box): return box
        case .circle(let x, let y, let radius):
            let wide = radius + 1e-12 * max(1, abs(x), abs(y), radius)
            return PlaneBox((x - wide, y - wide), (x + wide, y + wide))
        case .polygon(let polygon): return polygon.bound
        }
    }
}

/// A polygon in the plane, of one chain of edges that may cross: a point is inside if a ray from it crosses an odd number of edges.
package struct PlanePolygon: Sendable {
    private let points: [(x: Double, y: Double)]
    package let bound: PlaneBox

    /// Creates a polygon of at least one point; the last one is connected with the first one.
    package init(_ points: [(x: Double, y: Double)]) {
        self.points = points
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        bound = PlaneBox((xs.min() ?? 0, ys.min() ?? 0), (xs.max() ?? 0, ys.max() ?? 0))
    }

    /// Returns a Boolean value that says whether the polygon contains a point. A vertex, and a point on a horizontal or vertical edge,
    /// is in it; on other edges, the rounding of the ray's crossing decides, as on MongoDB's servers.
    package func contains(_ x: Double, _ y: Double, _ work: inout GeometryWork) throws -> Bool {
        guard bound.contains(x, y), var from = points.last else { return false }
        try work.charge(points.count)
        var isInside = false
        for to in points {
            if to.x == x, to.y == y { return true }
            let isBetween =
                (min(from.x, to.x)...max(from.x, to.x)).contains(x)
                && (min(from.y, to.y)...max(from.y, to.y)).contains(y)
            if isBetween, from.x == to.x || from.y == to.y { return true }
            if y > min(from.y, to.y), y <= max(from.y, to.y), x <= max(from.x, to.x) {
                let crossing = (y - from.y) * (to.x - from.x) / (to.y - from.y) + from.x
                if from.x == to.x || x <= crossing { isInside.toggle() }
            }
            from = to
        }
        return isInside
    }
}
