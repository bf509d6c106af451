internal import Glibc

/// A box in space with sides along the axes.
struct SpaceBox: Sendable {
    var low: SIMD4<Double>
    var high: SIMD4<Double>

    static let empty = SpaceBox(low: SIMD4(repeating: .infinity), high: SIMD4(repeating: -.infinity))

    /// The box of an edge: that of its ends, widened by the height of the arc over the chord.
    init(_ a: Vector3, _ b: Vector3) {
        let (first, second) = (SIMD4(a.x, a.y, a.z, 0), SIMD4(b.x, b.y, b.z, 0))
        let chord = (b - a).squaredLength / 4
        let height = 1 - max(0, 1 - chord).squareRoot() + 1e-15
        low = pointwiseMin(first, second) - height
        high = pointwiseMax(first, second) + height
    }

    /// The box of the points that are at most `distance` away from a point in each direction.
    init(around point: Vector3, _ distance: Double) {
        let center = SIMD4(point.x, point.y, point.z, 0)
        (low, high) = (center - distance, center + distance)
    }

    private init(low: SIMD4<Double>, high: SIMD4<Double>) { (self.low, self.high) = (low, high) }

    mutating func formUnion(_ other: SpaceBox) {
        low = pointwiseMin(low, other.low)
        high = pointwiseMax(high, other.high)
    }

    @inline(__always)
    func meets(_ other: SpaceBox) -> Bool { all(low .<= other.high) && all(other.low .<= high) }

    /// Returns a Boolean value that says whether the plane through the centre of the sphere with a normal may meet the box.
    @inline(__always)
    func meets(planeWithNormal normal: SIMD4<Double>) -> Bool {
        let products = (low * normal, high * normal)
        return pointwiseMin(products.0, products.1).sum() <= 1e-14
            && pointwiseMax(products.0, products.1).sum() >= -1e-14
    }

    /// Returns a lower bound of the straight distance of a point from what is in the box.
    @inline(__always)
    func distance(_ point: Vector3) -> Double {
        let center = SIMD4(point.x, point.y, point.z, 0)
        let outside = pointwiseMax(pointwiseMax(low - center, center - high), SIMD4(repeating: 0))
        return (outside * outside).sum().squareRoot()
    }
}

/// The edges of rings or lines, with boxes around groups of consecutive ones, to find those that are near something.
struct EdgeTree: Sendable {
    /// An edge, and the number of the chain, such as a ring, that it belongs to.
    struct Edge: Sendable {
        let start: Vector3
        let end: Vector3
        let chain: Int32
        /// The number of the edge in its chain.
        let place: Int32
    }

    let edges: [Edge]
    /// The boxes: that of node 1 is around everything, the halves of node n are 2n and 2n + 1, and the last level has the leaves.
    private let boxes: [SpaceBox]
    private let leafCount: Int

    private static let leafSize = 4

    init(_ edges: [Edge]) {
        self.edges = edges
        let groups = (edges.count + Self.leafSize - 1) / Self.leafSize
        var count = 1
        while count < groups { count *= 2 }
        leafCount = count
        var boxes = [SpaceBox](repeating: .empty, count: 2 * count)
        for (index, edge) in edges.enumerated() {
            boxes[count + index / Self.leafSize].formUnion(SpaceBox(edge.start, edge.end))
        }
        for node in stride(from: count - 1, to: 0, by: -1) {
            boxes[node] = boxes[2 * node]
            boxes[node].formUnion(boxes[2 * node + 1])
        }
        self.boxes = boxes
    }

    /// Calls `body` with the number of each edge in a group whose box, and those of all groups that it is in, pass a test, until it
    /// returns false.
    @inline(__always)
    private func search(
        _ work: inout GeometryWork, _ isNear: (SpaceBox) -> Bool, _ body: (Int, inout GeometryWork) throws -> Bool
    ) throws {
        var pending = [1]
        while let node = pending.popLast() {
            try work.charge(1)
            guard isNear(boxes[node]) else { continue }
            if node < leafCount {
                pending.append(2 * node + 1)
                pending.append(2 * node)
                continue
            }
            let start = (node - leafCount) * Self.leafSize
            for index in start..<max(start, min(start + Self.leafSize, edges.count)) {
                try work.charge(1)
                guard try body(index, &work) else { return }
            }
        }
    }

    /// Calls `body` with each edge that may meet a box, until it returns false.
    func visit(
        near box: SpaceBox, _ work: inout GeometryWork, _ body: (Int, Edge, inout GeometryWork) throws -> Bool
    ) throws {
        try search(&work, { $0.meets(box) }) { index, work in try body(index, edges[index], &work) }
    }

    /// Returns a Boolean value that says whether a walk from one point to another changes sides at an odd number of edges.
    func isOddWalk(from start: Vector3, to end: Vector3, chain: Int32? = nil, _ work: inout GeometryWork) throws -> Bool
    {
        let vector = start.normal(end).unit
        let normal = SIMD4(vector.x, vector.y, vector.z, 0)
        let box = SpaceBox(start, end)
        var isOdd = false
        try search(&work, { $0.meets(box) && $0.meets(planeWithNormal: normal) }) { index, _ in
            let edge = edges[index]
            if chain == nil || edge.chain == chain, Crossing.changesSide(start, end, edge.start, edge.end) {
                isOdd.toggle()
            }
            return true
        }
        return isOdd
    }

    /// Returns the distance of a point from the nearest edge, in radians, or a number above `limit` if it is above it.
    func distance(_ point: Vector3, limit: Double = .pi, _ work: inout GeometryWork) throws -> Double {
        var best = Double.infinity
        var chord = 2 * sin(min(limit, .pi) / 2) + 1e-15
        try search(&work, { $0.distance(point) <= chord }) { index, _ in
            let found = Crossing.distance(point, from: edges[index].start, to: edges[index].end)
            if found < best {
                best = found
                if found < limit { chord = 2 * sin(min(found, .pi) / 2) + 1e-15 }
            }
            return true
        }
        return best
    }
}
