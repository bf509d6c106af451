internal import SealiteGeometry
internal import SealiteJSON
package import SealiteValues

/// The grid by whose cells an index has geometries.
package enum GeoGrid: Sendable, Equatable {
    /// The grid on the sphere, of an index of MongoDB's type `2dsphere`.
    case sphere
    /// A grid of pairs of coordinates from a lower bound up to an upper one, of an index of MongoDB's type `2d`.
    case plane(low: Double, high: Double)

    /// Creates the grid that a text denotes: `sphere`, or `plane` with the bounds; nil for another text.
    package init?(text: String) {
        if text == "sphere" {
            self = .sphere
            return
        }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "plane", let low = Double(parts[1]), let high = Double(parts[2]),
            low < high,
            low.isFinite, high.isFinite, (high - low).isFinite
        else { return nil }
        self = .plane(low: low, high: high)
        guard self.text == text else { return nil }
    }

    /// The grid as a text.
    package var text: String {
        switch self {
        case .sphere: "sphere"
        case .plane(let low, let high): "plane \(low) \(high)"
        }
    }
}

/// The reason for which a value isn't in an index on geometries.
package enum GeoFlaw: Error, Sendable {
    /// The value isn't a geometry.
    case notGeometry
    /// A coordinate is outside of the bounds of the index.
    case outOfRange
}

/// The entries of a document in an index on geometries: the cells of the geometries at its paths
/// (Documentation/DocumentFormat.md §3.10).
package struct GeoEntries {
    /// The work, in pairs of edges, that may be spent on a document. With more, the document has one empty entry, under which all
    /// searches find it.
    package static let workLimit = 5_000_000
    /// The number of entries of a document; with more, it has one empty entry.
    private static let limit = 100_000

    /// The keys, sorted: the number of the path as a byte, followed by the identifier of the cell as eight bytes, the most
    /// significant first.
    package private(set) var keys: [[UInt8]] = []

    /// Creates the entries of a document with a body. Values that aren't geometries have none.
    ///
    /// - Throws: the errors of `look`, which is called now and then.
    package init(
        _ grid: GeoGrid, _ paths: [FilterPath], body: borrowing Span<UInt8>, look: @escaping () throws -> Void = {}
    ) throws {
        guard let root = JSONBElement(root: body) else {
            keys = [[]]
            return
        }
        var found: Set<[UInt8]> = []
        var work = GeometryWork(limit: Self.workLimit, look: look)
        do {
            for (number, path) in paths.enumerated() {
                let body = copy body
                _ = try path.visit(root, in: body) { (leaf) throws in
                    guard let node = leaf.node, node.type == JSONBType.object || node.type == JSONBType.array,
                        let value = BSON(stored: node, in: body)
                    else { return false }
                    for cell in try Self.cells(of: value, grid, &work) { found.insert(Self.key(path: number, cell)) }
                    return found.count > Self.limit
                }
            }
        } catch let error as GeometryError where error == .tooComplex {
            found = [[]]
        }
        keys = found.count > Self.limit ? [[]] : found.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns the key of a cell of the geometries at the path with a number.
    package static func key(path: Int, _ cell: UInt64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: path)] + (0..<8).map { UInt8(truncatingIfNeeded: cell >> (56 - 8 * UInt64($0))) }
    }

    private static func cells(of value: BSON, _ grid: GeoGrid, _ work: inout GeometryWork) throws -> [UInt64] {
        var reader = GeoJSONReader.ofDocuments(work)
        defer { work = reader.work }
        do {
            let geometry = try reader.geometry(ShapeValue(value))
            switch grid {
            case .sphere:
                guard !geometry.hasStrictPolygon else { return [] }
                return try SphereCell.entries(of: geometry, &reader.work).map(\.id)
            case .plane(let low, let high):
                let plane = PlaneGrid(low: low, high: high)
                guard let point = geometry.singlePoint, plane.contains(point.x, point.y) else { return [] }
                return [plane.cell(point.x, point.y)]
            }
        } catch let error as GeometryError where error != .tooComplex {
            return []
        }
    }

    // MARK: - Refusals

    /// Returns what forbids an index on geometries to have a document; nil if nothing does. Missing values and null are allowed.
    package static func flaw(_ grid: GeoGrid, _ paths: [FilterPath], body: borrowing Span<UInt8>) -> GeoFlaw? {
        guard let root = JSONBElement(root: body) else { return nil }
        for path in paths {
            var flaw: GeoFlaw?
            let body = copy body
            // Of an array at the end of the path, the items come before the array itself.
            var items: [GeoFlaw?] = []
            _ = path.visit(root, in: body) { leaf in
                guard let node = leaf.node, let value = BSON(stored: node, in: body), value != .null,
                    value != .undefined
                else { return false }
                let own = Self.flaw(value, grid)
                if leaf.isWholeArray {
                    // MongoDB's `2d` has arrays of points too.
                    if case .plane = grid, own == .notGeometry {
                        flaw = flaw ?? items.compactMap { $0 }.first
                    } else {
                        flaw = flaw ?? own
                    }
                    items = []
                } else if leaf.index != nil, !leaf.isPlace {
                    items.append(own)
                } else {
                    flaw = flaw ?? own
                }
                return false
            }
            // Items that no array followed are values in the documents of an array on the path.
            if let found = flaw ?? items.compactMap({ $0 }).first { return found }
        }
        return nil
    }

    private static func flaw(_ value: BSON, _ grid: GeoGrid) -> GeoFlaw? {
        var reader = GeoJSONReader.ofDocuments(GeometryWork(limit: workLimit))
        let shape = ShapeValue(value)
        switch grid {
        case .sphere:
            do {
                let geometry = try reader.geometry(shape)
                return geometry.isOnSphere && !geometry.hasStrictPolygon ? nil : .notGeometry
            } catch {
                return error as? GeometryError == .tooComplex ? nil : .notGeometry
            }
        case .plane(let low, let high):
            guard let geometry = try? reader.geometry(shape), let point = geometry.singlePoint else {
                return .notGeometry
            }
            return PlaneGrid(low: low, high: high).contains(point.x, point.y) ? nil : .outOfRange
        }
    }
}
