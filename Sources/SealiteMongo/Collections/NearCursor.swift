internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteJSON
internal import SealiteValues

/// The documents of a collection in the order of their distances from a point, read on demand in the calling thread's transaction
/// or snapshot.
///
/// On the sphere, an index is searched in rings around the point that grow until there are enough documents.
final class NearCursor {
    private let search: NearSearch
    private let path: FilterPath
    private let filter: Filter
    private let collection: Collection
    private let index: PathIndex
    /// The number of the path among those of the index's geometries.
    private let pathNumber: Int
    private let work: WorkMeter

    /// The documents that were found but aren't the next ones for certain, the farthest first, with distances to be compared.
    private var pending: [NearDocument] = []
    /// The row numbers of all documents that were found.
    private var known: Set<Int64> = []
    /// The outer radius of the last ring, in radians: all documents within it were found.
    private var radius: Double
    /// The factor by which the next ring's radius is larger.
    private var growth = 4.0
    private var isDone = false

    /// The radius of the first ring: some 60 metres on the Earth.
    private static let firstRadius = 1e-5
    /// The number of documents in a ring at which the next one is less than four times as large.
    private static let enough = 16

    /// - Throws: `MongoError` 291 if no index can be searched.
    convenience init(
        _ near: NearCondition, _ filter: Filter, in collection: Collection, _ work: WorkMeter
    ) throws {
        let index = try Self.index(for: near, collection)
        try self.init(near, index, filter, in: collection, work)
    }

    /// Creates a cursor over the documents that fulfil a filter, which an index finds.
    init(
        _ near: NearCondition, _ index: PathIndex, _ filter: Filter, in collection: Collection, _ work: WorkMeter
    ) throws {
        (search, path, self.filter, self.collection) = (near.search, near.path, filter, collection)
        (self.index, self.work) = (index, work)
        pathNumber = index.model.geometryPaths.firstIndex(of: near.path.text) ?? 0
        radius = min(max(near.search.radians(near.search.minimum) * (1 - 1e-12) - 1e-14, 0), 4)
        if case .plane(let low, let high)? = index.grid {
            try require(
                PlaneGrid(low: low, high: high).contains(search.center.x, search.center.y), 16433,
                "The point of a search is outside of the bounds of the index '\(index.model.name)'.")
        }
    }

    /// Returns the index in which the surroundings of a point are searched.
    ///
    /// - Throws: `MongoError` 291 if there is none.
    static func index(for near: NearCondition, _ collection: Collection) throws -> PathIndex {
        let found = try PathIndex.all(of: collection).filter { index in
            guard let grid = index.grid else { return false }
            return near.search.canSearch(grid) && index.model.geometryPaths.contains(near.path.text)
        }
        let kind = near.search.measure == .plane ? "2d" : "2dsphere"
        return try require(
            found.first(where: { $0.grid == .sphere }) ?? found.first, 291,
            "A search for the nearest documents needs an index of the type \(kind) on '\(near.path.text)': create one.")
    }

    /// Returns the next document; nil after the last one.
    func next() throws -> NearDocument? {
        while true {
            if let nearest = pending.last, isDone || nearest.distance <= radius * NearSearch.earthRadius {
                pending.removeLast()
                return NearDocument(
                    number: nearest.number, row: nearest.row, distance: search.measured(nearest.distance),
                    value: nearest.value)
            }
            guard !isDone else { return nil }
            try grow()
        }
    }

    /// Finds the documents of the next ring.
    private func grow() throws {
        let before = pending.count
        switch index.grid {
        case .sphere?: try growOnSphere()
        case .plane(let low, let high)?:
            isDone = true
            // Distances on the sphere don't bound a rectangle of coordinates.
            let isBounded = search.measure == .plane && search.maximum.isFinite
            let box =
                isBounded
                ? PlaneShape.circle(x: search.center.x, y: search.center.y, radius: search.maximum).bound : nil
            try read(IndexSearch(index, GeoCover(path: pathNumber, grid: PlaneGrid(low: low, high: high), box: box)))
        case nil: isDone = true
        }
        growth = pending.count - before < Self.enough ? 4 : 1.6
        // Documents at the same distance are in natural order.
        pending.sort { ($0.distance, $0.number) > ($1.distance, $1.number) }
    }

    private func growOnSphere() throws {
        guard let center = search.center.vector else {
            isDone = true
            return
        }
        let limit = min(search.radians(search.maximum) * (1 + 1e-12) + 1e-14, Double.pi)
        let outer = min(max(radius * growth, radius + Self.firstRadius), limit)
        var shapes = GeometryWork { try WorkMeter.look() }
        if outer >= radius {
            let ring = Ring(center: center, inner: radius, outer: outer)
            try read(IndexSearch(index, GeoCover(path: pathNumber, region: ring, &shapes)))
        }
        radius = max(radius, outer)
        isDone = outer >= limit || outer < radius
    }

    /// The area between two distances from a point.
    private struct Ring: SphereRegion {
        let center: Vector3
        let inner: Double
        let outer: Double

        func overlap(_ center: Vector3, _ radius: Double, _ work: inout GeometryWork) -> Overlap {
            let distance = self.center.angle(center)
            if distance - radius > outer + 1e-12 || distance + radius < inner - 1e-12 { return .none }
            return distance + radius <= outer && distance - radius >= inner ? .all : .some
        }
    }

    private func read(_ found: IndexSearch) throws {
        let sql =
            "SELECT id, body, number FROM documents_\(collection.number) WHERE +number > 0 AND \(found.condition(after: 0))"
        try collection.database.readRows(sql, isKept: found.isKept, bind: { found.bind($0, after: 0) }) { row in
            try work.charge(1)
            let number = row.int64(at: 2)
            guard known.insert(number).inserted, let nearest = try row.withBytes(at: 1, { try nearest(in: $0) }),
                search.allows(nearest.distance), try filter.match(row) != nil
            else { return }
            let document = Row(body: row.bytes(at: 1) ?? [], id: DocumentKey.value(of: row.text(at: 0)))
            pending.append(
                NearDocument(number: number, row: document, distance: nearest.distance, value: nearest.value))
        }
    }

    /// Returns the distance of the nearest geometry at the path in a body, and its value; nil if there is none.
    private func nearest(in body: borrowing Span<UInt8>) throws -> (distance: Double, value: BSON)? {
        guard let root = JSONBElement(root: body) else { return nil }
        var shapes = GeometryWork { try WorkMeter.look() }
        var best: (distance: Double, value: BSON)?
        let body = copy body
        _ = try path.visit(root, in: body) { (leaf) throws in
            guard let node = leaf.node, node.shape(in: body) != .scalar else { return false }
            let value = node.value(in: body)
            guard let geometry = try Geometry(of: value, &shapes),
                let distance = try search.distance(of: geometry, &shapes)
            else { return false }
            if best.map({ distance < $0.distance }) ?? true { best = (distance, value) }
            return false
        }
        return best
    }
}

extension DatabasePipelineStore: GeoSearchStore {
    func nearest(
        _ search: NearSearch, at key: String?, where filter: Filter?, _ work: WorkMeter
    ) throws -> () throws -> NearDocument? {
        guard let collection = target.collection else { return { nil } }
        let path = try FilterPath(try key ?? path(of: search, in: collection))
        let cursor = try NearCursor(
            NearCondition(path: path, search: search), filter ?? Filter.everything, in: collection, work)
        return { try cursor.next() }
    }

    /// Returns the path of the only index on geometries: of the type `2d`, or else `2dsphere`.
    private func path(of search: NearSearch, in collection: Collection) throws -> String {
        let indexes = try PathIndex.all(of: collection).filter { $0.grid != nil }
        for isSphere in [false, true] {
            let paths = indexes.filter { ($0.grid == .sphere) == isSphere }.flatMap(\.model.geometryPaths)
            guard let path = paths.first else { continue }
            try require(
                paths.count == 1, 27,
                "The collection has several indexes on geometries: say the path as 'key' of $geoNear.")
            return path
        }
        throw MongoError(code: 27, "$geoNear needs an index of the type 2dsphere or 2d; the collection has none.")
    }
}
