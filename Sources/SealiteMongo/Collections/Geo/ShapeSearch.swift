internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteValues

extension FilterTree {
    /// A Boolean value that says whether the filter requires that a shape contains or meets a geometry.
    var hasShape: Bool {
        switch self {
        case .all(let trees): trees.contains(where: \.hasShape)
        case .condition(let condition): if case .shape(let test) = condition.test { test.shape != nil } else { false }
        default: false
        }
    }

    /// The shapes that contain or meet a geometry at a path in each document that fulfils the filter.
    var shapes: [(path: String, shape: SearchShape)] {
        switch self {
        case .all(let trees): return trees.flatMap(\.shapes)
        case .condition(let condition):
            guard case .shape(let test) = condition.test, let shape = test.shape else { return [] }
            return [(condition.path.text, shape)]
        default: return []
        }
    }
}

extension IndexSearch {
    /// The number of cells by which a shape is covered.
    private static let cellCount = 24

    /// Returns a search in an index on geometries for one of the shapes; nil if no index can find it.
    static func best(_ shapes: [(path: String, shape: SearchShape)], _ indexes: [PathIndex]) throws -> IndexSearch? {
        for (path, shape) in shapes {
            for index in indexes {
                guard let grid = index.grid, let number = index.model.geometryPaths.firstIndex(of: path) else {
                    continue
                }
                if let search = try IndexSearch(index, number, grid, shape) { return search }
            }
        }
        return nil
    }

    private init?(_ index: PathIndex, _ number: Int, _ grid: GeoGrid, _ shape: SearchShape) throws {
        var work = GeometryWork { try WorkMeter.look() }
        switch (grid, shape) {
        case (.sphere, .within(let geometry)), (.sphere, .intersecting(let geometry)):
            try self.init(index, number, covering: geometry, &work)
        case (.sphere, .withinCap(let cap)): try self.init(index, number, covering: cap, &work)
        case (.plane(let low, let high), .withinPlane(let shape)):
            let ranges = PlaneGrid(low: low, high: high).cover(shape.bound, count: Self.cellCount)
            self.init(index, ranges: ranges.map { Self.range(number, $0) }, keys: [])
        default: return nil
        }
    }

    /// Creates the search for the geometries that have a cell in common with a region of the sphere.
    init(
        _ index: PathIndex, _ number: Int, covering region: some SphereRegion, _ work: inout GeometryWork
    ) throws {
        let cells = try SphereCell.cover(region, count: Self.cellCount, &work)
        // A geometry with a larger cell may be in the region too.
        let larger = Set(cells.flatMap(\.ancestors)).sorted { $0.id < $1.id }
        self.init(
            index, ranges: ClosedRange.merged(cells.map(\.range)).map { Self.range(number, $0) },
            keys: larger.map { GeoEntries.key(path: number, $0.id) })
    }

    private static func range(_ path: Int, _ cells: ClosedRange<UInt64>) -> ClosedRange<ComparableBytes> {
        ComparableBytes(
            bytes: GeoEntries.key(path: path, cells.lowerBound))...ComparableBytes(
                bytes: GeoEntries.key(path: path, cells.upperBound))
    }
}
