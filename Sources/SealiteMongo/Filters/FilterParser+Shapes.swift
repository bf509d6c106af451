internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteValues

// Operators on geometries.
extension FilterParser {
    /// The functions that parse the operators on geometries, by the operators' names.
    static let shapeOperators: [String: ValueReader] = [
        "$geoWithin": shape("$geoWithin", within),
        "$within": shape("$within", within),
        "$geoIntersects": shape("$geoIntersects", intersecting),
        "$near": near("$near"),
        "$nearSphere": near("$nearSphere"),
        "$geoNear": near("$geoNear"),
        "$minDistance": besideNear("$minDistance"),
        "$maxDistance": besideNear("$maxDistance"),
        "$uniqueDocs": besideNear("$uniqueDocs"),
    ]

    private static let nearOperators = ["$near", "$nearSphere", "$geoNear"]

    // MARK: - Shapes

    private static func shape(
        _ name: String, _ read: @escaping @Sendable (String, MongoDocument) throws -> SearchShape
    ) -> ValueReader {
        { _, path, operand, operators in
            try require(
                operators.count == 1, .badValue("\(name) can't go with other operators on the same path; use $and."))
            let members = try require(operand.members, .badValue("\(name) takes an object."))
            return .path(path, .shape(ShapeTest(try read(name, members))))
        }
    }

    /// Runs `body`, which reads a shape, and returns its result; an error of the geometry becomes one of MongoDB's.
    static func reading<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as GeometryError {
            throw MongoError.badValue("The operand of \(name) isn't valid: \(error.reason).")
        }
    }

    private static var work: GeometryWork { GeometryWork { try WorkMeter.look() } }

    private static func intersecting(_ name: String, _ members: MongoDocument) throws -> SearchShape {
        guard members.count == 1, let value = members["$geometry"] else {
            throw MongoError.badValue("\(name) takes $geometry, and nothing else.")
        }
        return .intersecting(try reading(name) { try SearchShape.geometry(ShapeValue(value), work) })
    }

    private static func within(_ name: String, _ members: MongoDocument) throws -> SearchShape {
        let shapes = members.filter { $0.key != "$uniqueDocs" }
        guard shapes.count == 1 else {
            throw MongoError.badValue("\(name) takes one of $geometry, $box, $center, $centerSphere and $polygon.")
        }
        let (kind, value) = (shapes[0].key, ShapeValue(shapes[0].value))
        return try reading(name) { try SearchShape(within: kind, value, work) }
    }

    // MARK: - Distances

    private static func besideNear(_ name: String) -> ValueReader {
        { _, _, _, operators in
            try require(
                operators.keys.contains(where: nearOperators.contains),
                .badValue("\(name) belongs to $near or $nearSphere, which is missing."))
            return nil
        }
    }

    private static func near(_ name: String) -> ValueReader {
        { parser, path, _, operators in
            // Both may be on the same path, and then the operators aren't valid.
            let search = try search(operators)
            try require(
                parser.context.allowsNear && !parser.isOfProjection, 5_626_500,
                "\(name) isn't allowed here; in a pipeline, use $geoNear, or $geoWithin with $centerSphere.")
            try require(
                parser.allowsNear && parser.near == nil,
                .badValue("A filter can have \(name) only once, and not in $or, $nor, $not or $elemMatch."))
            try require(!parser.hasText, .badValue("A filter can't have both \(name) and $text."))
            parser.near = NearCondition(path: path, search: search)
            return .path(path, .shape(ShapeTest(search)))
        }
    }

    /// Returns the search that the operators on a path describe: a pair of coordinates with `$minDistance` and `$maxDistance` beside
    /// the operator, or a point as GeoJSON with these inside of its operand.
    private static func search(_ operators: MongoDocument) throws -> NearSearch {
        if let search = try searchByPair(operators) { return search }
        try require(operators.count == 1, .badValue("$near with $geometry can't go with other operators on its path."))
        let (name, value) = (operators.members[0].key, operators.members[0].value)
        let members = try require(value.members, .badValue("\(name) takes an object with $geometry, or a point."))
        var (center, bounds) = (GeometryPoint?.none, (minimum: 0.0, maximum: Double.infinity))
        for member in members {
            switch member.key {
            case "$geometry":
                try require(member.value.members != nil, .badValue("\(name) takes an object as $geometry."))
                center = try reading(name) { try point(ShapeValue(member.value)) }
            case "$minDistance": bounds.minimum = try distance(member.key, member.value)
            case "$maxDistance": bounds.maximum = try distance(member.key, member.value)
            default: throw MongoError.badValue("\(name) doesn't know the member '\(member.key)'.")
            }
        }
        let found = try require(center, .badValue("\(name) needs a point as $geometry."))
        return NearSearch(center: found, measure: .metres, minimum: bounds.minimum, maximum: bounds.maximum)
    }

    private static func distance(_ name: String, _ value: BSON) throws -> Double {
        let number = try require(ShapeValue(value).number, .badValue("\(name) takes a number."))
        try require(number >= 0 && number.isFinite, .badValue("\(name) takes a finite number from 0 on."))
        return number
    }

    /// Returns the point of a GeoJSON object, whose type may be missing.
    static func point(_ value: ShapeValue) throws -> GeometryPoint {
        if let type = value["type"] {
            guard case .text("Point") = type else { throw GeometryError("it isn't a Point") }
        }
        guard let coordinates = value["coordinates"] else { throw GeometryError("it has no coordinates") }
        return try GeoJSONReader.point(coordinates)
    }

    /// Returns the search for the surroundings of a pair of coordinates; nil if the operators have none.
    private static func searchByPair(_ operators: MongoDocument) throws -> NearSearch? {
        var search: NearSearch?
        var (minimum, maximum) = (Double?.none, Double?.none)
        for member in operators {
            let value = ShapeValue(member.value)
            switch member.key {
            case "$near", "$nearSphere", "$geoNear":
                guard value.isPair else { continue }
                search = try reading(member.key) {
                    try Self.search(pair: value, isOnSphere: member.key == "$nearSphere")
                }
            case "$minDistance":
                let number = try require(value.number, 16893, "$minDistance takes a number.")
                try require(number >= 0, 16894, "$minDistance takes a number from 0 on.")
                minimum = number
            case "$maxDistance":
                let number = try require(value.number, 16895, "$maxDistance takes a number.")
                try require(number >= 0, 16896, "$maxDistance takes a number from 0 on.")
                maximum = number
            case "$uniqueDocs": break
            case "$geoWithin", "$within", "$geoIntersects":
                throw MongoError.badValue("\(member.key) can't go with other operators on the same path; use $and.")
            default: throw MongoError(code: 34413, "$near can't go with \(member.key) on the same path; use $and.")
            }
        }
        guard var search else { return nil }
        search.minimum = minimum ?? 0
        search.maximum = maximum ?? search.maximum
        return search
    }

    /// Returns the search for the surroundings of a pair of coordinates, which the greatest distance may follow.
    static func search(pair value: ShapeValue, isOnSphere: Bool) throws -> NearSearch {
        let items = value.numbers
        guard items.count == 2 || items.count == 3 else { throw GeometryError("a point has two numbers") }
        let pair = (x: items[0], y: items[1])
        guard pair.x.isFinite, pair.y.isFinite else { throw GeometryError("a coordinate isn't finite") }
        let center = GeometryPoint(pair.x, pair.y)
        guard !isOnSphere || center.vector != nil else {
            throw GeometryError("the point isn't a longitude and a latitude")
        }
        var search = NearSearch(center: center, measure: isOnSphere ? .radians : .plane)
        if items.count == 3 {
            guard items[2] >= 0 else {
                throw MongoError(code: 18522, "The greatest distance must be a number from 0 on.")
            }
            search.maximum = items[2]
        }
        return search
    }
}

extension ShapeValue {
    /// The numbers of a pair of coordinates, an array or an object; empty for another value.
    fileprivate var numbers: [Double] {
        let values: [ShapeValue] =
            switch self {
            case .list(let items): items
            case .members(let members): members.map(\.value)
            default: []
            }
        let numbers = values.compactMap(\.number)
        return numbers.count == values.count ? numbers : []
    }

    /// A Boolean value that says whether the value is a pair of coordinates, and not GeoJSON.
    fileprivate var isPair: Bool { numbers.count >= 2 }
}
