internal import CSQLite
package import SealiteGeometry
internal import SealiteJSON
package import SealiteValues

extension ShapeValue {
    /// Creates the value of a document's value.
    package init(_ value: BSON) {
        switch value {
        case .double(let number): self = .number(number)
        case .int32(let number): self = .number(Double(number))
        case .int64(let number): self = .number(Double(number))
        case .decimal128(let number): self = .number(number.doubleValue)
        case .string(let text): self = .text(text)
        case .array(let items): self = .list(items.map { ShapeValue($0) })
        case .document(let document): self = .members(document.map { ($0.key, ShapeValue($0.value)) })
        default: self = .other
        }
    }
}

extension Geometry {
    /// Creates the geometry of a document's value; nil if it isn't one.
    ///
    /// - Throws: the errors of the work.
    package init?(of value: BSON, _ work: inout GeometryWork) throws {
        if let point = Self.point(value) {
            self.init(point: point.x, point.y)
            return
        }
        var reader = GeoJSONReader.ofDocuments(work)
        defer { work = reader.work }
        do {
            self = try reader.geometry(ShapeValue(value))
        } catch is GeometryError {
            return nil
        }
    }

    /// Returns the coordinates of the plainest form of a point, which most documents have; nil for any other form.
    private static func point(_ value: BSON) -> (x: Double, y: Double)? {
        guard case .document(let document) = value, document.count == 2, document["type"] == "Point",
            case .array(let pair)? = document["coordinates"], pair.count == 2, case .double(let x) = pair[0],
            case .double(let y) = pair[1], GeometryPoint.isOnSphere(x, y)
        else { return nil }
        return (x, y)
    }
}

extension SearchShape {
    /// Creates the search for what is within a shape from its text: an object in Extended JSON with one member, as `$geoWithin` takes
    /// it; nil if it isn't valid.
    package init?(text: String) {
        guard let document = try? MongoDocument(extendedJSON: text), document.count == 1,
            let member = document.members.first,
            let shape = try? SearchShape(
                within: member.key, ShapeValue(member.value), GeometryWork(limit: GeoEntries.workLimit))
        else { return nil }
        self = shape
    }
}

extension QueryFunction {
    /// The SQL functions of geometries.
    static let geometries: [QueryFunction] = [
        // The arguments are those of `mongo_entries`, with the grid as a text in place of the first one.
        .init("mongo_cells", 4...many) { call in
            guard case .string(let text) = call[0], let grid = GeoGrid(text: text.string) else {
                return call.giveNull()
            }
            var paths: [FilterPath] = []
            for index in 3..<call.count {
                guard case .string(let text) = call[index], let path = unsafe FilterPath(text.payload) else {
                    return call.giveNull()
                }
                paths.append(path)
            }
            let keys = try call.withBody(2) { body in
                try GeoEntries(grid, paths, body: body) { try call.charge(1 << 12) }.keys
            }
            var output = JSONBWriter(capacity: 16 + 13 * keys.count)
            let list = output.begin(guess: 11 * keys.count)
            for key in keys { output.element(JSONBType.rawText, key.span, 0, key.count) }
            output.end(JSONBType.array, list)
            try call.give(output)
        },
        .init("query_geo_within", 2) { call in
            guard !call.propagates(2) else { return }
            let cached: CachedShape = call.cached(1) {
                guard case .string(let text) = call[1] else { return CachedShape(nil) }
                return CachedShape(SearchShape(text: text.string))
            }
            guard let shape = cached.shape else { return call.giveNull() }
            try call.charge(bytes: call[0].byteCount)
            let isWithin = try call.withBody(0) { body in
                guard let element = JSONBElement(root: body), let value = BSON(stored: element, in: body) else {
                    return false
                }
                var work = GeometryWork { try call.charge(1 << 12) }
                guard let geometry = try Geometry(of: value, &work) else { return false }
                return try shape.holds(for: geometry, &work)
            }
            call.give(isWithin)
        },
    ]
}

/// A shape that was read from its text, or nil for an invalid one.
private final class CachedShape {
    let shape: SearchShape?

    init(_ shape: SearchShape?) { self.shape = shape }
}
