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
    /// Returns a search in an index on geometries for one of the shapes; nil if no index can find it.
    static func best(_ shapes: [(path: String, shape: SearchShape)], _ indexes: [PathIndex]) throws -> IndexSearch? {
        var work = GeometryWork { try WorkMeter.look() }
        for (path, shape) in shapes {
            for index in indexes {
                guard let grid = index.grid, let number = index.model.geometryPaths.firstIndex(of: path),
                    let cover = try GeoCover(path: number, grid, shape, &work)
                else { continue }
                return IndexSearch(index, cover)
            }
        }
        return nil
    }

    /// Creates the search for the geometries among some of an index's entries.
    init(_ index: PathIndex, _ cover: GeoCover) {
        let ranges = cover.ranges.map { ComparableBytes(bytes: $0.first)...ComparableBytes(bytes: $0.last) }
        self.init(index, ranges: ranges, keys: cover.keys)
    }
}
