internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteValues

extension StageKind {
    /// The stage `$geoNear`, which gives the documents nearest to a point.
    static let geoSearches: [StageKind] = [
        .init("$geoNear") { specification, parser in
            if let outer = parser.outerStage, outer != "$rankFusion" {
                throw MongoError(
                    code: outer == "$facet" ? 40600 : 20, "$geoNear isn't allowed in a pipeline of \(outer).")
            }
            return try GeoNearStage(specification, parser)
        }
    ]
}

/// The stage `$geoNear`, whose rows are documents in the order of their distances from a point.
struct GeoNearStage: Stage {
    /// The point, and the bounds of the distances, as expressions; nil for none.
    private let near: ExpressionNode
    private var minimum: ExpressionNode?
    private var maximum: ExpressionNode?
    /// The names of the path to the member that gets the distance; nil for none.
    private var distanceField: [String]?
    /// The names of the path to the member that gets the nearest geometry; nil for none.
    private var locationField: [String]?
    private var multiplier = 1.0
    private var isSpherical = false
    /// The path of the geometries; nil for that of the only index.
    private var key: String?
    private var filter: MatchStage?

    init(_ specification: BSON, _ parser: PipelineParser) throws {
        let members: MongoDocument
        switch specification {
        case .document(let document): members = document
        case .array: members = [:]
        default:
            throw MongoError(code: 10065, "$geoNear takes an object, not \(specification.type.alias).")
        }
        var near: ExpressionNode?
        for member in members {
            let value = member.value
            switch member.key {
            case "near": near = try Self.constant(value, 5_860_402, member.key, parser)
            case "minDistance": minimum = try Self.constant(value, 7_555_701, member.key, parser)
            case "maxDistance": maximum = try Self.constant(value, 7_555_702, member.key, parser)
            case "distanceField":
                distanceField = try Self.path(requireString(value, 16606, "$geoNear takes a string as 'distanceField'"))
            case "includeLocs":
                locationField = try Self.path(requireString(value, 16607, "$geoNear takes a string as 'includeLocs'"))
            case "distanceMultiplier": multiplier = try Self.multiplier(value)
            case "spherical": isSpherical = Optional(value).isTrue
            case "query":
                filter = try MatchStage(
                    requireDocument(value, 14, "$geoNear takes an object as 'query'"), parser.expressions)
            case "key": key = try Self.key(requireString(value, 14, "$geoNear takes a string as 'key'"))
            case "uniqueDocs": break
            default: throw MongoError.badValue("$geoNear doesn't know the member '\(member.key)'.")
            }
        }
        self.near = try require(near, 5_860_400, "$geoNear needs the member 'near'.")
    }

    private static func constant(
        _ value: BSON, _ code: Int, _ name: String, _ parser: PipelineParser
    ) throws -> ExpressionNode {
        try require(
            !CommandVariables.readsDocument(value, depth: 0), code, "'\(name)' of $geoNear mustn't read a document.")
        return try parser.expressions.parse(value)
    }

    private static func path(_ text: String) throws -> [String] {
        let names = try FieldPath(text).names
        try require(names.count < FieldPath.maximumCount, 5_984_700, "A path of $geoNear has too many names.")
        return names
    }

    /// The greatest number of names of the path of the geometries.
    private static let maximumKeyCount = 180

    private static func key(_ text: String) throws -> String {
        try require(!text.isEmpty, .badValue("'key' of $geoNear mustn't be empty."))
        let names = try FieldPath(text).names
        try require(names.count <= maximumKeyCount, 5_729_100, "'key' of $geoNear has too many names.")
        return text
    }

    private static func multiplier(_ value: BSON) throws -> Double {
        let number = try require(
            ShapeValue(value).number, .typeMismatch("$geoNear takes a number as 'distanceMultiplier'."))
        try require(number >= 0, .badValue("'distanceMultiplier' of $geoNear must be from 0 on."))
        return number
    }

    var givenMetadata: Set<MetadataField> { [.geoNearDistance, .geoNearPoint] }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        guard let store = run.store as? any GeoSearchStore else {
            throw MongoError(code: 20, "$geoNear can be used only in a pipeline of MongoCollection.aggregate.")
        }
        let evaluation = run.evaluation()
        var search = try search(near.value(evaluation))
        search.minimum = try Self.distance("minDistance", minimum?.value(evaluation)) ?? search.minimum
        search.maximum = try Self.distance("maxDistance", maximum?.value(evaluation)) ?? search.maximum
        let next = try store.nearest(search, at: key, where: filter?.filter(run), run.work)
        return RowCursor {
            guard let found = try next() else { return nil }
            return row(of: found)
        }
    }

    private func search(_ value: BSON?) throws -> NearSearch {
        switch value {
        case .document, .array: break
        default: throw MongoError(code: 5_860_401, "$geoNear takes a point as 'near', not \(value.typeName).")
        }
        let shape = ShapeValue(value ?? .null)
        return try FilterParser.reading("$geoNear") {
            if case .members(let members) = shape, members.first?.value.number == nil {
                return NearSearch(center: try FilterParser.point(shape), measure: .metres)
            }
            return try FilterParser.search(pair: shape, isOnSphere: isSpherical)
        }
    }

    private static func distance(_ name: String, _ value: BSON?) throws -> Double? {
        guard let value else { return nil }
        let number = try require(
            ShapeValue(value).number, .typeMismatch("$geoNear takes a number as '\(name)', not \(value.type.alias)."))
        try require(number >= 0, .badValue("'\(name)' of $geoNear must be from 0 on."))
        return number
    }

    private func row(of found: NearDocument) -> Row {
        let distance = BSON.double(found.distance * multiplier)
        var row = found.row
        if distanceField != nil || locationField != nil {
            var document = row.document
            if let distanceField { document.set(distance, at: distanceField[...]) }
            if let locationField { document.set(found.value, at: locationField[...]) }
            row = row.replaced(by: document)
        }
        row.metadata = RowMetadata([.geoNearDistance: distance, .geoNearPoint: found.value])
        return row
    }
}

extension MongoDocument {
    /// Sets the member at a path; values on the path that aren't documents are replaced by such.
    fileprivate mutating func set(_ value: BSON, at names: ArraySlice<String>) {
        guard let name = names.first else { return }
        guard names.count > 1 else {
            self[name] = value
            return
        }
        var inner: MongoDocument = [:]
        if case .document(let document)? = self[name] { inner = document }
        inner.set(value, at: names.dropFirst())
        self[name] = .document(inner)
    }
}

/// A store that can search the pipeline's own collection for the surroundings of a point.
protocol GeoSearchStore: PipelineStore {
    /// Returns a function that returns the next of the documents that fulfil a filter, nil after the last one, in the order of the distances of their geometries at a path, or at that of the only
    /// index on geometries if `key` is nil.
    func nearest(
        _ search: NearSearch, at key: String?, where filter: Filter?, _ work: WorkMeter
    ) throws -> () throws -> NearDocument?
}
