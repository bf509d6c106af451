internal import Glibc

/// A cell of the grid on the sphere: one of the six faces of a cube around it, or a quarter of a cell.
///
/// A point of the sphere is on the face that the ray to it from the centre meets, at two coordinates from 0 to 1. An identifier has
/// 3 bits for the face, two for each level, which say in which quarter the cell is, and a 1 after them, so that the identifiers of
/// all cells within a cell are a range, and a cell comes in the middle of those within it.
package struct SphereCell: Sendable, Hashable {
    package let id: UInt64

    /// The number of times that a face is divided: the smallest cells are about a centimetre wide on the Earth.
    package static let levelCount = 30

    package init(id: UInt64) { self.id = id }

    /// Creates the cell of a level, from 0 for a whole face, at coordinates that count the cells of the level.
    init(face: Int, level: Int, _ s: Int, _ t: Int) {
        let digits = PlaneGrid.interleaved(UInt64(s)) << 1 | PlaneGrid.interleaved(UInt64(t))
        let shift = UInt64(2 * (Self.levelCount - level))
        id = UInt64(face) << 61 | digits << (shift + 1) | 1 << shift
    }

    /// The smallest cell that contains a point.
    package init(_ point: Vector3) {
        let (face, u, v) = Self.project(point)
        self.init(face: face, level: Self.levelCount, Self.number(u), Self.number(v))
    }

    private static func number(_ coordinate: Double) -> Int {
        let count = 1 << levelCount
        return min(max(Int((coordinate + 1) / 2 * Double(count)), 0), count - 1)
    }

    /// Returns the face of a point and its coordinates there, from −1 to 1.
    private static func project(_ p: Vector3) -> (face: Int, u: Double, v: Double) {
        let (x, y, z) = (abs(p.x), abs(p.y), abs(p.z))
        if x >= y, x >= z { return (p.x >= 0 ? 0 : 3, p.y / x, p.z / x) }
        if y >= z { return (p.y >= 0 ? 1 : 4, p.x / y, p.z / y) }
        return (p.z >= 0 ? 2 : 5, p.x / z, p.y / z)
    }

    /// Returns the point of a face at coordinates from −1 to 1.
    private static func point(_ face: Int, _ u: Double, _ v: Double) -> Vector3 {
        let side: Double = face < 3 ? 1 : -1
        switch face % 3 {
        case 0: return Vector3(side, u, v).unit
        case 1: return Vector3(u, side, v).unit
        default: return Vector3(u, v, side).unit
        }
    }

    var level: Int { Self.levelCount - id.trailingZeroBitCount / 2 }

    /// The identifiers of the smallest cells within the cell, and of all others within it, are in this range.
    package var range: ClosedRange<UInt64> {
        let lowest = id & (~id &+ 1)
        return id - (lowest - 1)...id + (lowest - 1)
    }

    /// The cells that the cell is a part of, from the face on.
    package var ancestors: [SphereCell] {
        (0..<level).map { level in
            let bit = UInt64(1) << UInt64(2 * (Self.levelCount - level))
            return SphereCell(id: id & ~(bit << 1 &- 1) | bit)
        }
    }

    /// A part of the sphere that the cell is in: the smallest cap around its corners.
    struct Place {
        let face: Int
        let level: Int
        let s: Int
        let t: Int

        var cell: SphereCell { SphereCell(face: face, level: level, s, t) }

        var quarters: [Place] {
            (0..<4).map { Place(face: face, level: level + 1, s: 2 * s + $0 >> 1, t: 2 * t + $0 & 1) }
        }

        /// The centre, and the greatest distance of a point of the cell from it, in radians.
        var disc: (center: Vector3, radius: Double) {
            let size = 2 / Double(1 << level)
            func corner(_ s: Double, _ t: Double) -> Vector3 {
                SphereCell.point(face, -1 + size * (Double(self.s) + s), -1 + size * (Double(self.t) + t))
            }
            let center = corner(0.5, 0.5)
            let corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)]
            // Sides of a cell are arcs of great circles, so that no point is farther away than the farthest corner.
            return (center, (corners.map { $0.angle(center) }.max() ?? 0) + 1e-9)
        }

        static let faces = (0..<6).map { Place(face: $0, level: 0, s: 0, t: 0) }
    }
}

/// The relation of a region to a disc on the sphere.
package enum Overlap {
    case none
    case some
    /// The disc is within the region.
    case all
}

/// A part of the sphere that can be covered by cells.
package protocol SphereRegion {
    /// Returns how the region overlaps a cap around `center`; `some` if it isn't known.
    func overlap(_ center: Vector3, _ radius: Double, _ work: inout GeometryWork) throws -> Overlap
}

extension Cap: SphereRegion {
    package func overlap(_ center: Vector3, _ radius: Double, _ work: inout GeometryWork) -> Overlap {
        let distance = self.center.angle(center)
        if distance > self.radius + radius + 1e-14 { return .none }
        return distance + radius <= self.radius ? .all : .some
    }
}

extension Geometry: SphereRegion {
    package func overlap(_ center: Vector3, _ radius: Double, _ work: inout GeometryWork) throws -> Overlap {
        let reach = radius + 2 * Tolerance.point
        for polygon in polygons where polygon.bound.center.angle(center) <= polygon.bound.radius + reach {
            let isNear = try polygon.edges.distance(center, limit: reach, &work) <= reach
            if isNear { return .some }
            if try polygon.contains(center, &work) { return .all }
        }
        for line in lines where try line.edges.distance(center, limit: reach, &work) <= reach { return .some }
        for point in points {
            try work.charge(1)
            if let vector = point.vector, vector.angle(center) <= reach { return .some }
        }
        return .none
    }
}

// A rectangle of longitudes and latitudes.
extension PlaneBox: SphereRegion {
    package func overlap(_ center: Vector3, _ radius: Double, _ work: inout GeometryWork) -> Overlap {
        let degree = Double.pi / 180
        let latitude = asin(min(max(center.z, -1), 1)) / degree
        let longitude = atan2(center.y, center.x) / degree
        let reach = radius / degree + 1e-9
        if latitude + reach < low.y || latitude - reach > high.y { return .none }
        // A disc with a pole in it meets every meridian.
        guard abs(latitude) + reach < 90 else { return .some }
        let width = asin(min(1, sin(radius) / cos(latitude * degree))) / degree + 1e-9
        let isApart = [-360.0, 0, 360].allSatisfy { turn in
            longitude + turn + width < low.x || longitude + turn - width > high.x
        }
        if isApart { return .none }
        let isInside =
            longitude - width >= low.x && longitude + width <= high.x && latitude - reach >= low.y
            && latitude + reach <= high.y
        return isInside ? .all : .some
    }
}

extension SphereCell {
    /// Returns at most `count` cells, or somewhat more for a region that needs them, that cover a region together.
    package static func cover(_ region: some SphereRegion, count: Int, _ work: inout GeometryWork) throws
        -> [SphereCell]
    {
        var done: [SphereCell] = []
        // The cells of one level that are to be divided; all are, so that those of the cover are of like size.
        var pending: [Place] = []
        func sort(_ places: [Place]) throws -> (whole: [SphereCell], parts: [Place]) {
            var whole: [SphereCell] = []
            var parts: [Place] = []
            for place in places {
                let disc = place.disc
                switch try region.overlap(disc.center, disc.radius, &work) {
                case .none: break
                case .some: parts.append(place)
                case .all: whole.append(place.cell)
                }
            }
            return (whole, parts)
        }
        (done, pending) = try sort(Place.faces)
        while !pending.isEmpty {
            guard pending[0].level < levelCount else { break }
            let next = try sort(pending.flatMap(\.quarters))
            guard done.count + next.whole.count + next.parts.count <= count else { break }
            done += next.whole
            pending = next.parts
        }
        return done + pending.map(\.cell)
    }

    /// The cells under which an index has a geometry.
    package static func entries(of geometry: Geometry, _ work: inout GeometryWork) throws -> [SphereCell] {
        if geometry.lines.isEmpty, geometry.polygons.isEmpty, geometry.points.count <= 16 {
            return Array(Set(geometry.points.compactMap(\.vector).map { SphereCell($0) }))
        }
        return try cover(geometry, count: 12, &work)
    }
}

extension ClosedRange<UInt64> {
    /// Returns ranges that follow each other without a gap, or overlap, as one.
    package static func merged(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var merged: [ClosedRange<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Identifiers of the smallest cells are odd, and those of their ranges' ends too.
            if let last = merged.last, range.lowerBound <= last.upperBound &+ 2 {
                merged[merged.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}
