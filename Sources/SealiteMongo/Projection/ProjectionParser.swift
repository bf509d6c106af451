internal import SealiteValues

extension FieldProjection {
    /// Creates the projection of a `$project` specification or, if `isOfFind`, of a `find`, in which metadata alone
    /// is added to whole documents.
    init(parsing specification: MongoDocument, _ parser: ExpressionParser, isOfFind: Bool = false) throws {
        try require(!specification.isEmpty, 51272, "A projection needs at least one member.")
        var reader = ProjectionReader(parser: parser)
        reader.isOfFind = isOfFind
        try reader.read(specification, at: [])
        self = try reader.projection()
    }

    /// Creates the projection of an `$addFields` specification, all of whose members are computed.
    init(adding specification: MongoDocument, _ parser: ExpressionParser) throws {
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
                    if case .document(let form) = member.value, form.count > 1 {
                        throw MongoError(
                            code: 40181, "'\(member.key)' of $addFields or $set has more than one operator.")
                    }
                    try root.add(
                        .compute(try parser.parse(member.value)), at: names[...], of: names.joined(separator: "."),
                        code: 40176)
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
    /// A Boolean value that says whether a member is computed by an expression other than `$meta`.
    private var hasComputed = false
    /// A Boolean value that says whether a member is metadata.
    private var hasMetadata = false
    /// A Boolean value that says whether the projection is that of a `find`.
    var isOfFind = false
    /// The mode of a projection whose members say nothing about it, but which has metadata.
    private var modeOfMetadata: FieldProjection.Mode { isOfFind ? .exclusion : .inclusion }

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
        let operatorName = value.members?.keys.first
        // Metadata is added in both modes.
        if operatorName == "$meta" {
            hasMetadata = true
        } else {
            hasComputed = true
            if names != ["_id"] {
                try require(
                    mode != .exclusion, operatorName == nil ? 31310 : 31252,
                    "A projection that excludes members can't compute '\(text)'.")
                mode = .inclusion
            }
        }
        if let operatorName, ExpressionOperator.all[operatorName] == nil {
            throw MongoError(
                code: operatorName == "$elemMatch" && !isOfFind ? 168 : 31325,
                "There is no operator '\(operatorName)' of expressions, for '\(text)'.")
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
        let fallback = hasMetadata ? modeOfMetadata : keepsID == false && !hasComputed ? .exclusion : .inclusion
        let mode = mode ?? fallback
        if mode == .exclusion, hasComputed {
            throw MongoError(code: 31254, "A projection that excludes members can't compute the '_id'.")
        }
        let namesID = root.names.contains("_id")
        if !namesID {
            if mode == .inclusion, keepsID != false { try root.add(.keep, at: ["_id"], of: "_id") }
            if mode == .exclusion, keepsID == false { try root.add(.remove, at: ["_id"], of: "_id") }
        }
        return FieldProjection(mode: mode, root: root)
    }
}
