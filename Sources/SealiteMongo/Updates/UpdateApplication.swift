internal import SealiteValues

/// One application of an update's operations to a document.
struct UpdateApplication {
    let situation: UpdateSituation
    let filters: ArrayFilters

    /// The maximum number of nulls that are appended to an array so that a new item gets the index that the update
    /// names.
    private static let maximumPadding = 1_500_000

    /// Applies the operations of a node to the value at its path, which may be missing before and afterwards.
    func apply(_ node: UpdateNode, to value: inout BSON?, at path: String) throws {
        switch node {
        case .operation(let operation): try apply(operation, to: &value, at: path)
        case .members(let members, let position):
            let members = try position.map { try placed($0, among: members, of: value, at: path) } ?? members
            try apply(members, to: &value, at: path)
        case .items(let items): try apply(items, to: &value, at: path)
        }
    }

    private func apply(_ operation: FieldOperation, to value: inout BSON?, at path: String) throws {
        guard !situation.isIdle(operation), value != nil || operation.missing == .makesValue else { return }
        switch try operation.apply(value, situation, path) {
        case .unchanged: break
        case .value(let new): value = new
        case .removed: value = nil
        }
    }

    // MARK: - Members

    private func apply(_ members: [UpdateNode.Member], to value: inout BSON?, at path: String) throws {
        switch value {
        case nil:
            var document = MongoDocument()
            for member in members { try apply(member, to: &document, at: path) }
            if !document.isEmpty { value = .document(document) }
        case .document(var document):
            value = .null
            for member in members { try apply(member, to: &document, at: path) }
            value = .document(document)
        case .array(var items):
            value = .null
            for member in members { try apply(member, to: &items, at: path) }
            value = .array(items)
        case let scalar?:
            guard let member = members.first(where: { $0.node.needsPath(in: situation) }) else { return }
            throw Self.notViable(member.name, in: path, scalar.type)
        }
    }

    private func apply(_ member: UpdateNode.Member, to document: inout MongoDocument, at path: String) throws {
        let isTop = path.isEmpty
        let path = isTop ? member.name : "\(path).\(member.name)"
        guard var value = document[member.name] else {
            var made: BSON?
            try apply(member.node, to: &made, at: path)
            guard let made else { return }
            try require(
                !isTop || situation.isInsertion || !member.name.hasPrefix("$"), 52,
                "The field '\(member.name)' can't be stored, because its name begins with '$'.")
            document.append(member.name, made)
            return
        }
        document[member.name] = .null
        var changed: BSON? = value
        value = .null
        try apply(member.node, to: &changed, at: path)
        document[member.name] = changed
    }

    private func apply(_ member: UpdateNode.Member, to items: inout [BSON], at path: String) throws {
        guard let index = member.index else {
            guard member.node.needsPath(in: situation) else { return }
            throw Self.notViable(member.name, in: path, .array)
        }
        let path = "\(path).\(member.name)"
        guard index < items.count else {
            var made: BSON?
            try apply(member.node, to: &made, at: path)
            guard let made else { return }
            try require(
                index - items.count <= Self.maximumPadding,
                .badValue("Setting this item would add more than \(Self.maximumPadding) nulls to the array '\(path)'."))
            items.append(contentsOf: repeatElement(.null, count: index - items.count))
            items.append(made)
            return
        }
        try apply(member.node, toItem: &items[index], at: path)
    }

    /// Applies the operations of a node to an item of an array. An item that is removed becomes null, so that the other
    /// items keep their indices.
    private func apply(_ node: UpdateNode, toItem item: inout BSON, at path: String) throws {
        var value: BSON? = item
        item = .null
        try apply(node, to: &value, at: path)
        item = value ?? .null
    }

    private static func notViable(_ name: String, in path: String, _ type: BSONType) -> MongoError {
        MongoError(code: 28, "There can't be a field '\(name)' in '\(path)', which is of the type \(type.alias).")
    }

    // MARK: - Items

    /// Returns the operations on the items of an array by index, including those of `node`, which apply to the item at
    /// the filter's position (`$`). Throws `MongoError` if the filter found no position, if the value isn't an array,
    /// or if both change the same item.
    private func placed(
        _ node: UpdateNode, among members: [UpdateNode.Member], of value: BSON?, at path: String
    ) throws -> [UpdateNode.Member] {
        let position = try require(
            situation.position, .badValue("The filter found no item of an array, which '$' in a path stands for."))
        guard case .array? = value else {
            throw MongoError.badValue("The path goes on with an item of an array, and '\(path)' isn't an array.")
        }
        let placed = UpdateNode.members([UpdateNode.Member("\(position)", node)], position: nil)
        guard case .members(let merged, _) = try UpdateNode.members(members, position: nil).merging(placed, at: path)
        else { return members }
        return merged
    }

    private func apply(_ choices: [(filter: String, node: UpdateNode)], to value: inout BSON?, at path: String) throws {
        let present = try require(
            value, .badValue("The path goes on with items of an array, and the document has no '\(path)'."))
        guard case .array(var items) = present else {
            throw MongoError.badValue(
                "The path goes on with items of an array, and '\(path)' is of the type \(present.type.alias).")
        }
        value = .null
        for index in items.indices {
            var node: UpdateNode?
            for choice in choices where try filters.match(items[index], choice.filter) {
                node = try node?.merging(choice.node, at: path) ?? choice.node
            }
            if let node { try apply(node, toItem: &items[index], at: "\(path).\(index)") }
        }
        value = .array(items)
    }
}

/// The circumstances in which the operations of an update are applied to a document.
struct UpdateSituation: Sendable {
    /// The index in an array at which the filter found its value; nil if none was in an array.
    let position: Int?
    /// A Boolean value that says whether the update inserts the document.
    let isInsertion: Bool
    /// The time of `$currentDate`, the same for all documents of a statement.
    let now: DateTime
    /// The values that `$rename` moves, by the paths from which it moves them.
    var moved: [[String]: BSON] = [:]

    /// Returns a Boolean value that says whether an operation has no effect on the document: it is for inserted
    /// documents only, and this one isn't inserted, or it moves a missing value.
    func isIdle(_ operation: FieldOperation) -> Bool {
        if operation.isForInsertion { return !isInsertion }
        if let move = operation.move { return moved[move.source] == nil }
        return false
    }
}

/// The values that `$rename` moves.
enum MovedValues {
    /// Returns the values that the `$rename` operations of an update move, by their present paths in a document;
    /// missing ones are left out.
    ///
    /// No other operation of the update applies to these paths, so that the values are the same before and after the
    /// other operations.
    static func collect(_ node: UpdateNode, in document: MongoDocument) throws -> [[String]: BSON] {
        var moved: [[String]: BSON] = [:]
        for operation in node.operations {
            guard let (source, target) = operation.move, let value = try value(at: source, in: document) else {
                continue
            }
            try require(
                target.first != "_id" || document["_id"] == nil, 66, "The '_id' of a document can't be changed.")
            try require(
                !leadsThroughArray(target, in: document),
                .badValue("$rename can't move a value into an array: '\(target.joined(separator: "."))'."))
            moved[source] = value
        }
        return moved
    }

    private static func leadsThroughArray(_ path: [String], in document: MongoDocument) -> Bool {
        var value: BSON? = .document(document)
        for name in path {
            switch value {
            case .document(let document)?: value = document[name]
            case .array?: return true
            default: return false
            }
        }
        return false
    }

    private static func value(at path: [String], in document: MongoDocument) throws -> BSON? {
        var value: BSON = .document(document)
        for name in path {
            switch value {
            case .document(let document):
                guard let member = document[name] else { return nil }
                value = member
            case .array:
                throw MongoError.badValue(
                    "$rename can't take its value out of an array: '\(path.joined(separator: "."))'.")
            default:
                throw MongoError(
                    code: 28,
                    "$rename can't follow '\(path.joined(separator: "."))': a value of the type \(value.type.alias) has no field '\(name)'."
                )
            }
        }
        return value
    }
}
