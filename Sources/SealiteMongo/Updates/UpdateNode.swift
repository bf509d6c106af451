internal import SealiteJSON

/// The operations of an update as a tree of their paths, so that each value on a path is visited once.
indirect enum UpdateNode: Sendable {
    case operation(FieldOperation)
    /// The operations on members of an object or on items of an array by index, in the order of their names; and those
    /// on the item at `$`, the position at which the filter found its value.
    case members([Member], position: UpdateNode?)
    /// The operations on the items of an array that array filters select, by the filters' names; the empty name selects
    /// all items.
    case items([(filter: String, node: UpdateNode)])

    /// A member of an object, or an index of an array, with the operations on its value.
    struct Member: Sendable {
        let name: String
        let index: Int?
        var node: UpdateNode

        init(_ name: String, _ node: UpdateNode) {
            (self.name, index, self.node) = (name, name.arrayIndex, node)
        }

        /// Returns a Boolean value that says whether this member comes before another: numbers are compared by value,
        /// other names by bytes.
        func precedes(_ other: Member) -> Bool {
            if let index, let otherIndex = other.index { return index < otherIndex }
            return name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }
    }

    /// A node without operations.
    static var none: UpdateNode { .members([], position: nil) }

    /// Adds an operation for a path.
    ///
    /// - Throws: `MongoError` 40 if there is an operation at the path, at a prefix of it, or below it.
    mutating func add(_ operation: FieldOperation, at path: UpdatePath) throws(MongoError) {
        self = try merging(UpdateNode(operation, path.steps[...]), at: path.text)
    }

    private init(_ operation: FieldOperation, _ steps: ArraySlice<UpdatePath.Step>) {
        guard let step = steps.first else {
            self = .operation(operation)
            return
        }
        let rest = UpdateNode(operation, steps.dropFirst())
        switch step {
        case .name(let name): self = .members([Member(name, rest)], position: nil)
        case .position: self = .members([], position: rest)
        case .items(let filter): self = .items([(filter, rest)])
        }
    }

    /// Returns a node with the operations of this node and of another one for the same path.
    ///
    /// - Throws: `MongoError` 40 if both change the same value, if one changes a value and the other a part of it, or
    ///   if one leads to members by name and the other to items by a filter.
    func merging(_ other: UpdateNode, at path: String) throws(MongoError) -> UpdateNode {
        switch (self, other) {
        case (.members(var members, let position), .members(let others, let otherPosition)):
            for other in others {
                if let index = members.firstIndex(where: { ExactText.areSame($0.name, other.name) }) {
                    members[index].node = try members[index].node.merging(other.node, at: path)
                } else {
                    let place = members.firstIndex { other.precedes($0) } ?? members.count
                    members.insert(other, at: place)
                }
            }
            guard let position, let otherPosition else { return .members(members, position: position ?? otherPosition) }
            return .members(members, position: try position.merging(otherPosition, at: path))
        case (.items(var items), .items(let others)):
            for other in others {
                if let index = items.firstIndex(where: { $0.filter == other.filter }) {
                    items[index].node = try items[index].node.merging(other.node, at: path)
                } else {
                    items.append(other)
                }
            }
            return .items(items)
        default:
            throw MongoError(code: 40, "Two operators change '\(path)', or one a part of what the other changes.")
        }
    }

    /// Returns a Boolean value that says whether some operation throws if its path leads through a value that can't
    /// contain the next name.
    func needsPath(in situation: UpdateSituation) -> Bool {
        switch self {
        case .operation(let operation):
            operation.missing != .nothingAnywhere && !situation.isIdle(operation)
        case .members(let members, let position):
            members.contains { $0.node.needsPath(in: situation) } || position?.needsPath(in: situation) ?? false
        case .items(let items): items.contains { $0.node.needsPath(in: situation) }
        }
    }

    /// The update operations of this node and of all nodes below it.
    var operations: [FieldOperation] {
        switch self {
        case .operation(let operation): [operation]
        case .members(let members, let position):
            members.flatMap(\.node.operations) + (position?.operations ?? [])
        case .items(let items): items.flatMap(\.node.operations)
        }
    }
}

/// A path of an update, such as `a.$[item].b`.
struct UpdatePath: Sendable {
    /// A step of a path of an update.
    enum Step: Sendable, Hashable {
        /// A member of an object, or an index of an array.
        case name(String)
        /// The item at the index at which the filter found its value, `$`.
        case position
        /// Each item that an array filter matches, `$[name]`; without a name each item.
        case items(String)
    }

    let steps: [Step]
    let text: String

    /// The maximum number of steps of a path.
    static let maximumCount = 200

    init(_ text: String) throws(MongoError) {
        try require(!text.isEmpty, 56, "The path of an update is empty.")
        self.text = text
        let names = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        try require(
            names.count <= Self.maximumCount,
            .badValue("An update path has more than \(Self.maximumCount) field names."))
        var steps: [Step] = []
        for name in names { steps.append(try Self.step(String(Substring(name)), of: text)) }
        guard case .name = steps[0] else {
            throw .badValue("The path '\(text)' can't begin with an array element ('$' or '$[…]').")
        }
        try require(
            steps.count(where: { $0 == .position }) <= 1, .badValue("The path '\(text)' has '$' more than once."))
        self.steps = steps
    }

    private static func step(_ name: String, of path: String) throws(MongoError) -> Step {
        try require(!name.isEmpty, 56, "The path '\(path)' of an update has an empty name.")
        if name == "$" { return .position }
        guard name.hasPrefix("$[") else { return .name(name) }
        try require(name.hasSuffix("]"), .badValue("The path '\(path)' has a '$[' without its ']'."))
        return .items(String(name.dropFirst(2).dropLast()))
    }

    /// The path's names; nil if a step is `$` or `$[…]`.
    var names: [String]? {
        var names: [String] = []
        for step in steps {
            guard case .name(let name) = step else { return nil }
            names.append(name)
        }
        return names
    }
}

extension String {
    /// The array index that the text denotes: at most nine digits without a leading 0; nil for other texts.
    var arrayIndex: Int? {
        guard utf8.count <= 9, utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        return utf8.count > 1 && utf8.first == UInt8(ascii: "0") ? nil : Int(self)
    }
}
