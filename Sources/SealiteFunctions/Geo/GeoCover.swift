package import SealiteGeometry

/// The entries of an index on geometries among which a search finds all geometries in a shape: ranges of keys, and single keys of
/// larger cells.
package struct GeoCover: Sendable {
    /// The number of cells by which a shape is covered.
    private static let cellCount = 24

    /// The ranges of keys, each from its first to its last one.
    package let ranges: [(first: [UInt8], last: [UInt8])]
    /// The keys of cells that contain one of the ranges.
    package let keys: [[UInt8]]

    /// Creates the cover of a region of the sphere, for the geometries at the path with a number.
    package init(path: Int, region: some SphereRegion, _ work: inout GeometryWork) throws {
        let cells = try SphereCell.cover(region, count: Self.cellCount, &work)
        // A geometry with a larger cell may be in the region too.
        let larger = Set(cells.flatMap(\.ancestors)).sorted { $0.id < $1.id }
        ranges = ClosedRange.merged(cells.map(\.range)).map { Self.range(path, $0) }
        keys = larger.map { GeoEntries.key(path: path, $0.id) }
    }

    /// Creates the cover of a rectangle in the plane; without one, the entries of all geometries at the path.
    package init(path: Int, grid: PlaneGrid, box: PlaneBox?) {
        ranges = (box.map { grid.cover($0, count: Self.cellCount) } ?? [0...UInt64.max]).map { Self.range(path, $0) }
        keys = []
    }

    /// Creates the cover of a shape in a grid; nil if the grid can't find what is in the shape.
    package init?(path: Int, _ grid: GeoGrid, _ shape: SearchShape, _ work: inout GeometryWork) throws {
        switch (grid, shape) {
        case (.sphere, .within(let geometry)), (.sphere, .intersecting(let geometry)):
            try self.init(path: path, region: geometry, &work)
        case (.sphere, .withinCap(let cap)): try self.init(path: path, region: cap, &work)
        case (.sphere, .withinPlane(let shape)): try self.init(path: path, region: shape.bound, &work)
        case (.plane(let low, let high), .withinPlane(let shape)):
            self.init(path: path, grid: PlaneGrid(low: low, high: high), box: shape.bound)
        default: return nil
        }
    }

    private static func range(_ path: Int, _ cells: ClosedRange<UInt64>) -> (first: [UInt8], last: [UInt8]) {
        (GeoEntries.key(path: path, cells.lowerBound), GeoEntries.key(path: path, cells.upperBound))
    }
}
