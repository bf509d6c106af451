internal import Glibc

/// An area on the sphere that rings bound: a shell, whose inside is at most a hemisphere, less those of holes in it; or one ring that
/// bounds what is on its left, however large it is.
package struct SpherePolygon: Sendable {
    let rings: [Ring]
    let edges: EdgeTree
    /// A point whose containment is known, from which walks to other points begin.
    private let origin: Vector3
    /// For each ring, whether it contains ``origin``.
    private let ringsContainOrigin: [Bool]
    private let containsOrigin: Bool
    /// The smallest known cap around the polygon.
    let bound: Cap
    /// A Boolean value that says whether the polygon may be larger than a hemisphere.
    package let isStrict: Bool

    /// The numbers of the edges at each vertex.
    private let edgesAtVertex: [Vector3: [Int]]

    /// Creates a polygon of rings that are known to be sound.
    private init(_ rings: [Ring], isStrict: Bool, _ work: inout GeometryWork) throws {
        (self.rings, self.isStrict) = (rings, isStrict)
        edges = EdgeTree(rings.enumerated().flatMap { $1.edges(chain: $0) })
        let cap = Cap(around: rings[0].vertices)
        // A ring in less than a hemisphere, with at most a hemisphere inside, has all of its inside in the cap around it.
        bound = cap.radius < 1.5 && rings[0].isAtMostHemisphere ? cap : .full
        // Points of this latitude and longitude are unlikely to be a vertex; were one, the half-open rule would hold for it.
        let start =
            bound.radius < 0.7
            ? (bound.center + bound.center.reference * tan(bound.radius * 1.25 + 1e-7)).unit
            : Vector3(longitude: 163.7183, latitude: 89.1627)
        var contained: [Bool] = []
        for (index, ring) in rings.enumerated() {
            contained.append(
                try edges.isOddWalk(from: start, to: ring[1], chain: Int32(index), &work) != ring.containsSecondVertex)
        }
        (origin, ringsContainOrigin) = (start, contained)
        containsOrigin = !contained.count(where: { $0 }).isMultiple(of: 2)
        var edgesAtVertex: [Vector3: [Int]] = [:]
        for (index, edge) in edges.edges.enumerated() {
            edgesAtVertex[edge.start, default: []].append(index)
            edgesAtVertex[edge.end, default: []].append(index)
        }
        self.edgesAtVertex = edgesAtVertex
    }

    /// Creates the polygon of rings without repeated vertices, the shell first.
    ///
    /// Each ring is turned so that its inside is at most a hemisphere; with `isStrict`, the polygon is one ring, as it is.
    ///
    /// - Throws: ``GeometryError`` if the rings don't bound one area.
    package init(_ lists: [[Vector3]], isStrict: Bool = false, _ work: inout GeometryWork) throws {
        guard !lists.isEmpty else { throw GeometryError("a polygon has no ring") }
        guard !isStrict || lists.count == 1 else {
            throw GeometryError("a polygon with the strict winding order has one ring only")
        }
        var polygons: [SpherePolygon] = []
        for list in lists {
            var ring = Ring(list)
            if let flaw = try ring.flaw(EdgeTree(ring.edges(chain: 0)), &work) { throw GeometryError(flaw) }
            if !isStrict, !ring.isAtMostHemisphere { ring.reverse() }
            polygons.append(try SpherePolygon([ring], isStrict: isStrict, &work))
        }
        guard polygons.count > 1 else {
            self = polygons[0]
            return
        }
        try Self.check(polygons, &work)
        try self.init(polygons.map { $0.rings[0] }, isStrict: false, &work)
    }

    private static func check(_ polygons: [SpherePolygon], _ work: inout GeometryWork) throws {
        let shell = polygons[0]
        for hole in polygons.dropFirst() {
            guard try shell.contains(hole, &work) else { throw GeometryError("a hole isn't within the first ring") }
            let shared = Set(hole.rings[0].vertices.filter { shell.edgesAtVertex[$0] != nil })
            guard shared.count <= 1 else {
                throw GeometryError("a hole shares more than one vertex with the first ring")
            }
        }
        // A hole that meets another one crosses one of its edges, or one of the two is in the other.
        let holes = EdgeTree(polygons.dropFirst().enumerated().flatMap { $1.rings[0].edges(chain: $0) })
        for (index, hole) in polygons.dropFirst().enumerated() {
            var near: Set<Int32> = []
            for edge in hole.edges.edges {
                try holes.visit(near: SpaceBox(edge.start, edge.end), &work) { _, other, _ in
                    if other.chain != index { near.insert(other.chain) }
                    return true
                }
            }
            for other in near where try hole.overlaps(polygons[Int(other) + 1], &work) {
                throw GeometryError("two holes overlap, or share an edge")
            }
        }
        // A hole with no edge near those of another one is within it, or apart.
        for (index, hole) in polygons.dropFirst().enumerated() {
            let point = hole.rings[0][0]
            for (other, outer) in polygons.dropFirst().enumerated() where other != index {
                try work.charge(1)
                guard outer.edgesAtVertex[point] == nil, try outer.contains(point, &work) else { continue }
                throw GeometryError("a hole is within another hole")
            }
        }
    }

    // MARK: - Points

    /// Returns a Boolean value that says whether the polygon contains a point, by the half-open rule for vertices.
    package func contains(_ point: Vector3, _ work: inout GeometryWork) throws -> Bool {
        guard bound.mayContain(point) else { return false }
        return try edges.isOddWalk(from: origin, to: point, &work) != containsOrigin
    }

    /// Returns a Boolean value that says whether a point is in the polygon or on its boundary, within a few millimetres on the Earth.
    package func touches(_ point: Vector3, _ work: inout GeometryWork) throws -> Bool {
        guard bound.mayContain(point) else { return false }
        return try contains(point, &work) || isOnBoundary(point, &work)
    }

    func isOnBoundary(_ point: Vector3, _ work: inout GeometryWork) throws -> Bool {
        try edges.distance(point, limit: Tolerance.point, &work) <= Tolerance.point
    }

    private func ring(_ index: Int, contains point: Vector3, _ work: inout GeometryWork) throws -> Bool {
        try edges.isOddWalk(from: origin, to: point, chain: Int32(index), &work) != ringsContainOrigin[index]
    }

    // MARK: - Polygons

    /// The relation of an edge from a shared vertex to another polygon.
    private enum Side {
        case inside
        case outside
        /// The edge is one of the other polygon's edges, with the same area on its left, or the other one.
        case boundary(isSame: Bool)
    }

    /// Returns the side of this polygon on which the beginning of the edge from `vertex`, a vertex of this polygon, to `end` is.
    /// `isForward` says whether the area that the edge bounds is on the left when looking from `vertex`.
    private func side(
        from vertex: Vector3, to end: Vector3, isForward: Bool, _ work: inout GeometryWork
    ) throws -> Side {
        let around = edgesAtVertex[vertex] ?? []
        for index in around {
            let edge = edges.edges[index]
            // The area is on the left of the shell's edges, and on the right of those of a hole.
            let isShell = edge.chain == 0
            if edge.start == vertex, edge.end == end { return .boundary(isSame: isForward == isShell) }
            if edge.end == vertex, edge.start == end { return .boundary(isSame: isForward != isShell) }
        }
        var isInside = false
        for (index, ring) in rings.enumerated() {
            let count = ring.vertices.count
            guard
                let leaving = around.first(where: { edges.edges[$0].chain == index && edges.edges[$0].start == vertex })
            else {
                if try self.ring(index, contains: vertex, &work) { isInside.toggle() }
                continue
            }
            let place = Int(edges.edges[leaving].place)
            // The inside is on the left of the edge that leaves, and so from it counter-clockwise to the one that arrives.
            let isOutside = Crossing.isOrdered(ring[place + count - 1], end, ring[place + 1], around: vertex)
            if !isOutside { isInside.toggle() }
        }
        return isInside ? .inside : .outside
    }

    /// The relation of two polygons.
    private struct Meeting {
        var haveCrossing = false
        /// Boolean values that say whether an edge of the first polygon, next to a shared vertex, or a ring of it, is inside of
        /// the second, and so on.
        var firstInSecond = false
        var firstOutOfSecond = false
        var secondInFirst = false
        var secondOutOfFirst = false
        var haveSameEdge = false
        var haveOppositeEdge = false
    }

    /// Examines where the boundaries of two polygons meet, and vertices of the rings that don't meet the other one.
    private func meeting(_ other: SpherePolygon, _ work: inout GeometryWork) throws -> Meeting {
        var found = Meeting()
        for edge in edges.edges where !found.haveCrossing {
            try other.edges.visit(near: SpaceBox(edge.start, edge.end), &work) { _, second, work in
                try work.charge(4)
                let relation = Crossing.relation(edge.start, edge.end, second.start, second.end)
                if relation == .crossing { found.haveCrossing = true }
                return !found.haveCrossing
            }
        }
        guard !found.haveCrossing else { return found }
        (found.firstInSecond, found.firstOutOfSecond) = try Self.sides(of: self, in: other, &found, &work)
        (found.secondInFirst, found.secondOutOfFirst) = try Self.sides(of: other, in: self, &found, &work)
        return found
    }

    /// Returns whether edges of one polygon at shared vertices, or rings of it without such, are inside and outside of another one,
    /// and notes edges that both have.
    private static func sides(
        of first: SpherePolygon, in second: SpherePolygon, _ found: inout Meeting, _ work: inout GeometryWork
    ) throws -> (isInside: Bool, isOutside: Bool) {
        var (isInside, isOutside) = (false, false)
        for (number, ring) in first.rings.enumerated() {
            let (count, isShell) = (ring.vertices.count, number == 0)
            var isShared = false
            for (index, vertex) in ring.vertices.enumerated() where second.edgesAtVertex[vertex] != nil {
                isShared = true
                for (end, isForward) in [(ring[index + 1], isShell), (ring[index + count - 1], !isShell)] {
                    switch try second.side(from: vertex, to: end, isForward: isForward, &work) {
                    case .inside: isInside = true
                    case .outside: isOutside = true
                    case .boundary(let isSame):
                        if isSame { found.haveSameEdge = true } else { found.haveOppositeEdge = true }
                    }
                }
            }
            guard !isShared else { continue }
            if try second.contains(ring[0], &work) { isInside = true } else { isOutside = true }
        }
        return (isInside, isOutside)
    }

    /// Returns a Boolean value that says whether another polygon is within this one.
    package func contains(_ other: SpherePolygon, _ work: inout GeometryWork) throws -> Bool {
        guard bound.mayMeet(other.bound) else { return false }
        let meeting = try self.meeting(other, &work)
        return !meeting.haveCrossing && !meeting.haveOppositeEdge && !meeting.secondOutOfFirst && !meeting.firstInSecond
    }

    /// Returns a Boolean value that says whether another polygon has some area in common with this one.
    package func intersects(_ other: SpherePolygon, _ work: inout GeometryWork) throws -> Bool {
        guard bound.mayMeet(other.bound) else { return false }
        let meeting = try self.meeting(other, &work)
        return meeting.haveCrossing || meeting.haveSameEdge || meeting.firstInSecond || meeting.secondInFirst
    }

    /// Returns a Boolean value that says whether another polygon has some area, or an edge, in common with this one.
    private func overlaps(_ other: SpherePolygon, _ work: inout GeometryWork) throws -> Bool {
        let meeting = try self.meeting(other, &work)
        return meeting.haveCrossing || meeting.haveSameEdge || meeting.haveOppositeEdge || meeting.firstInSecond
            || meeting.secondInFirst
    }

    // MARK: - Lines

    /// Returns a Boolean value that says whether a line has a point in common with the polygon or its boundary.
    package func touches(_ line: Polyline, _ work: inout GeometryWork) throws -> Bool {
        for vertex in line.vertices where try touches(vertex, &work) { return true }
        return try line.meets(edges, &work)
    }

    /// Returns a Boolean value that says whether a line is in the polygon or on its boundary.
    package func contains(_ line: Polyline, _ work: inout GeometryWork) throws -> Bool {
        for vertex in line.vertices where try !touches(vertex, &work) { return false }
        for edge in line.edges.edges {
            // Where the edge meets the boundary, it may leave the polygon; then a point between two such places is outside.
            let length = edge.start.angle(edge.end)
            guard length > 0 else { continue }
            var places: [Double] = [0, length]
            let box = SpaceBox(edge.start, edge.end)
            try edges.visit(near: box, &work) { _, other, work in
                try work.charge(4)
                if Crossing.relation(edge.start, edge.end, other.start, other.end) == .crossing {
                    places.append(edge.start.angle(Crossing.point(edge.start, edge.end, other.start, other.end)))
                }
                if Crossing.distance(other.start, from: edge.start, to: edge.end) <= Tolerance.point {
                    places.append(edge.start.angle(other.start))
                }
                return true
            }
            places.sort()
            let direction = (edge.end - edge.start * edge.start.dot(edge.end)).unit
            for (from, to) in zip(places, places.dropFirst()) where to - from > 4 * Tolerance.point {
                let middle = (from + to) / 2
                let point = (edge.start * cos(middle) + direction * sin(middle)).unit
                guard try touches(point, &work) else { return false }
            }
        }
        return true
    }

    // MARK: - Distances

    /// Returns the distance of a point from the polygon, in radians; 0 if it contains the point.
    package func distance(_ point: Vector3, _ work: inout GeometryWork) throws -> Double {
        try contains(point, &work) ? 0 : try edges.distance(point, &work)
    }
}
