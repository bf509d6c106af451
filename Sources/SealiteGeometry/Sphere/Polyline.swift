/// A chain of edges on the sphere.
package struct Polyline: Sendable {
    package let vertices: [Vector3]
    let edges: EdgeTree
    let bound: Cap

    /// Creates the line of two vertices or more, of which consecutive ones aren't at opposite sides of the sphere.
    package init(_ vertices: [Vector3]) throws {
        guard vertices.count >= 2 else { throw GeometryError("a line has fewer than 2 vertices") }
        for (first, second) in zip(vertices, vertices.dropFirst()) where first == -second {
            throw GeometryError("an edge of a line ends at the other side of the sphere")
        }
        self.vertices = vertices
        edges = EdgeTree(
            zip(vertices, vertices.dropFirst()).enumerated().map {
                EdgeTree.Edge(start: $1.0, end: $1.1, chain: 0, place: Int32($0))
            })
        let cap = Cap(around: vertices)
        bound = cap.radius < 1.5 ? cap : .full
    }

    /// Returns a Boolean value that says whether a point is on the line, within a few millimetres on the Earth.
    package func touches(_ point: Vector3, _ work: inout GeometryWork) throws -> Bool {
        guard bound.mayContain(point) else { return false }
        return try edges.distance(point, limit: Tolerance.point, &work) <= Tolerance.point
    }

    /// Returns a Boolean value that says whether the line crosses an edge, or shares a vertex with it.
    func meets(_ others: EdgeTree, _ work: inout GeometryWork) throws -> Bool {
        var found = false
        for edge in edges.edges where !found {
            try others.visit(near: SpaceBox(edge.start, edge.end), &work) { _, other, work in
                try work.charge(4)
                found = Crossing.relation(edge.start, edge.end, other.start, other.end) != .none
                return !found
            }
        }
        return found
    }

    /// Returns a Boolean value that says whether two lines have a point in common, such as a vertex.
    package func touches(_ other: Polyline, _ work: inout GeometryWork) throws -> Bool {
        guard bound.mayMeet(other.bound) else { return false }
        return try meets(other.edges, &work)
    }

    /// Returns the distance of a point from the line, in radians.
    package func distance(_ point: Vector3, _ work: inout GeometryWork) throws -> Double {
        try edges.distance(point, &work)
    }
}
