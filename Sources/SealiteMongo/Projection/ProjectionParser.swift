internal import SealiteValues

extension FieldProjection {
    /// Creates the projection of a `$project` specification.
    init(parsing specification: MongoDocument, _ parser: ExpressionParser) throws {
        try require(!specification.isEmpty, 51272, "A projection needs at least one member.")
        var reader = ProjectionReader(parser: parser)
        try reader.read(specification, at: [])
        self = try reader.projection()
    }

    /// Creates the projection of an `$addFields` specification, all of whose members are computed.
    init(adding specification: MongoDocument, _ parser: ExpressionParser) throws {
        try require(!specification.isEmpty, 40177, "$addFields and $set need at least one member.")
        var root = ProjectionNode()
        func add(_ document: MongoDocument, at path: [String]) throws {
            for member in document {
                try require(
                    path.isEmpty || !member.key.utf8.contains(UInt8(ascii: ".")), 40183,
                    "'\(member.key)', a name within an object of $addFields or $set, can't have a dot.")
                let names = path + (try FieldPath(member.key).names)
                if case .document(let nested) = member.value, let first = nested.members.first,
                    !first.key.hasPrefix("$")
                {
                    try add(nested, at: names)
                } else {
                    try root.add(
                        .compute(try parser.parse(member.value)), at: names[...], of: names.joined(separator: "."))
                }
            }
        }
        try add(specification, at: [])
        self.init(mode: .exclusion, root: root)
    }

    /// Creates a projection that removes the members at paths, as `$unset` does.
    init(removing paths: [String]) throws {
        var root = ProjectionNode()
        for path in paths { try root.add(.remove, at: try FieldPath(path).names[...], of: path) }
        self.init(mode: .exclusion, root: root)
    }
}

/// The parser of a projection's specification.
private struct ProjectionReader {
    let parser: ExpressionParser
    private var root = ProjectionNode()
    /// The mode that the members other than the `_id` determine; nil if none of them has been read.
    private var mode: FieldProjection.Mode?
    private var keepsID: Bool?

    init(parser: ExpressionParser) { self.parser = parser }

    mutating func read(_ document: MongoDocument, at path: [String]) throws {
        for member in document {
            try require(
                !member.key.hasSuffix(".$"), 31324,
                "Only the projection of a find can have '.$', as a member of its own: '\(member.key)'.")
            let names = path + (try FieldPath(member.key).names)
            try require(
                names.count <= FieldPath.maximumCount, 15,
                "A path of a projection has more than \(FieldPath.maximumCount) names.")
            try read(member.value, at: names)
        }
    }

    private mutating func read(_ value: BSON, at names: [String]) throws {
        let text = names.joined(separator: ".")
        switch value {
        case .bool, .int32, .int64, .double, .decimal128:
            let keeps = Optional(value).isTrue
            if names == ["_id"] {
                try require(keepsID == nil, ProjectionNode.collision(text))
                keepsID = keeps
            } else {
                try set(keeps ? .inclusion : .exclusion, text)
                try root.add(keeps ? .keep : .remove, at: names[...], of: text)
            }
        case .document(let document):
            let first = try require(document.members.first, 51270, "The projection of '\(text)' is an empty object.")
            // Only an operator alone is an expression.
            if first.key.hasPrefix("$"), document.count == 1 {
                try compute(value, at: names, text)
            } else {
                try read(document, at: names)
            }
        default: try compute(value, at: names, text)
        }
    }

    private mutating func compute(_ value: BSON, at names: [String], _ text: String) throws {
        if names != ["_id"] {
            try require(mode != .exclusion, 31252, "A projection that excludes members can't compute '\(text)'.")
            mode = .inclusion
        }
        try root.add(.compute(try parser.parse(value)), at: names[...], of: text)
    }

    private mutating func set(_ new: FieldProjection.Mode, _ text: String) throws {
        if let mode, mode != new {
            throw MongoError(
                code: new == .inclusion ? 31253 : 31254,
                "A projection can't both include and exclude members: '\(text)' is \(new == .inclusion ? "included" : "excluded"), unlike the members before it."
            )
        }
        mode = new
    }

    /// Returns the projection of the members that were read. The `_id` is kept unless it was removed or computed by a
    /// member of its own.
    mutating func projection() throws -> FieldProjection {
        let mode = mode ?? (keepsID == false ? .exclusion : .inclusion)
        let namesID = root.names.contains("_id")
        if !namesID {
            if mode == .inclusion, keepsID != false { try root.add(.keep, at: ["_id"], of: "_id") }
            if mode == .exclusion, keepsID == false { try root.add(.remove, at: ["_id"], of: "_id") }
        }
        return FieldProjection(mode: mode, root: root)
    }
}
