/// A closed chain of edges on the sphere, whose inside is on the left of its edges.
struct Ring: Sendable {
    /// The vertices, without the first one repeated at the end.
    private(set) var vertices: [Vector3]

    init(_ vertices: [Vector3]) { self.vertices = vertices }

    subscript(_ index: Int) -> Vector3 { vertices[index < vertices.count ? index : index - vertices.count] }

    /// The edges, with the number of the ring as that of their chain.
    func edges(chain: Int) -> [EdgeTree.Edge] {
        vertices.indices.map {
            EdgeTree.Edge(start: self[$0], end: self[$0 + 1], chain: Int32(chain), place: Int32($0))
        }
    }

    mutating func reverse() { vertices.reverse() }

    /// The sum of the angles by which the edges turn to the left, which is 2π less the area of the inside.
    var turning: Double {
        vertices.indices.map { index in
            let (a, b, c) = (self[index], self[index + 1], self[index + 2])
            let angle = a.normal(b).angle(b.normal(c))
            return Orientation.sign(a, b, c) > 0 ? angle : -angle
        }.reduce(0, +)
    }

    /// A Boolean value that says whether the inside is at most a hemisphere, but for a rounding error.
    var isAtMostHemisphere: Bool { turning >= -1e-14 }

    /// Returns what forbids that the ring bounds an area; nil if nothing does.
    func flaw(_ tree: EdgeTree, _ work: inout GeometryWork) throws -> String? {
        guard vertices.count >= 3 else { return "a ring has fewer than 3 different vertices" }
        guard Set(vertices).count == vertices.count else { return "a ring has a vertex twice" }
        for (index, vertex) in vertices.enumerated() where vertex == -self[index + 1] {
            return "an edge of a ring ends at the other side of the sphere"
        }
        var found = false
        for (index, edge) in tree.edges.enumerated() {
            let box = SpaceBox(edge.start, edge.end)
            try tree.visit(near: box, &work) { other, second, work in
                try work.charge(4)
                if other > index,
                    Crossing.relation(edge.start, edge.end, second.start, second.end) == .crossing
                {
                    found = true
                }
                return !found
            }
            if found { return "two edges of a ring cross" }
        }
        return nil
    }

    /// A Boolean value that says whether the half-open rule counts the second vertex as inside, from which all other points follow.
    var containsSecondVertex: Bool {
        let (a, b, c) = (self[0], self[1], self[2])
        return a != c && Crossing.isOrdered(b.reference, a, c, around: b)
    }
}

/// Distances at which points count as the same.
enum Tolerance {
    /// The distance, in radians, at which a point is on an edge: 6 mm on the Earth.
    static let point = 1e-9
}
