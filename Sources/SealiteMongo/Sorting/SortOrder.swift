internal import SealiteJSON
internal import SealiteValues

/// The order of a sort specification such as `{"a": 1, "b.c": -1}`.
struct SortOrder: Sendable {
    /// What a sort specification compares first, second, and so on, with its direction.
    struct Key: Sendable {
        /// What is compared.
        enum Subject: Sendable {
            /// The value at a path.
            case path(FilterPath)
            /// The value itself, such as an item of an array.
            case whole
            /// The score of a `$vectorSearch`.
            case score
        }

        let subject: Subject
        let isDescending: Bool

        /// The path whose values are compared; nil if something else is.
        var path: FilterPath? { if case .path(let path) = subject { path } else { nil } }
    }

    /// The maximum number of keys of a specification.
    static let maximumCount = 32

    let keys: [Key]

    /// Creates the order that a sort specification describes for documents; throws `MongoError` if it is invalid.
    /// `hasScore` says whether the documents have a score of `$vectorSearch`.
    init(_ specification: BSON, hasScore: Bool = false) throws {
        let document = try requireDocument(specification, 15973, "A sort specification is an object")
        try require(!document.isEmpty, 15976, "A sort specification needs at least one key.")
        try require(
            document.count <= Self.maximumCount, 13103,
            "A sort specification can have at most \(Self.maximumCount) keys, not \(document.count).")
        keys = try document.map { member in
            if let name = member.value.members?["$meta"] {
                try SearchScore.check(name, isAvailable: hasScore)
                return Key(subject: .score, isDescending: true)
            }
            return Key(
                subject: .path(try FilterPath(try FieldPath(member.key).text)),
                isDescending: try Self.isDescending(member.value))
        }
    }

    /// Creates the order that a sort specification describes for items of an array; 1 or -1 instead of an object
    /// compares whole items.
    init(ofItems specification: BSON) throws {
        if case .document = specification {
            try self.init(specification)
        } else {
            self.init(keys: [Key(subject: .whole, isDescending: try Self.isDescending(specification))])
        }
    }

    private init(keys: [Key]) { self.keys = keys }

    private static func isDescending(_ direction: BSON) throws -> Bool {
        switch BSONNumber(direction)?.exactInteger {
        case 1: false
        case -1: true
        default: throw MongoError(code: 15975, "A sort specification's directions must be 1 or -1.")
        }
    }

    // MARK: Values

    /// Returns the values by which a row is sorted, one for each of `keys`.
    func values(of row: Row) -> [BSON] { keys.map { $0.value(of: row) } }

    /// Returns the values by which an item of an array is sorted, one for each of `keys`.
    func values(of item: BSON) -> [BSON] {
        keys.map { key in
            guard key.path != nil else { return item }
            guard case .document(let document) = item else { return .null }
            return key.value(of: Row(document))
        }
    }

    /// Returns a negative number, 0 or a positive number if the row with the sort values `left` comes before, is equal
    /// to or comes after that with the sort values `right`. The work is charged.
    func compare(_ left: [BSON], _ right: [BSON], _ work: WorkMeter) throws -> Int {
        for (index, key) in keys.enumerated() {
            let order = try work.compare(left[index], right[index])
            if order != 0 { return key.isDescending ? -order : order }
        }
        return 0
    }

    /// Returns the items of an array in this order; equal items keep their order. The work is charged.
    func sorted(_ items: [BSON], _ work: WorkMeter) throws -> [BSON] {
        try items.map { (item: $0, values: values(of: $0)) }
            .sorted { try compare($0.values, $1.values, work) < 0 }
            .map(\.item)
    }
}

extension SortOrder.Key {
    /// Returns the value by which a row is sorted: its score, or the least of the values at the path, or the greatest for a
    /// descending order. An empty array is below null, and a missing value is null.
    fileprivate func value(of row: Row) -> BSON {
        if case .score = subject { return row.score.map { .double($0) } ?? .null }
        var extreme: BSON?
        for leaf in path.map({ row.leaves(at: $0, .sorting) }) ?? [] {
            let leaf = leaf ?? .null
            guard let old = extreme else {
                extreme = leaf
                continue
            }
            let order = leaf.compared(to: old)
            if isDescending ? order > 0 : order < 0 { extreme = leaf }
        }
        return extreme ?? .null
    }
}

extension Row {
    /// The treatment of an array at the end of a path whose values are collected.
    enum LeafChoice {
        /// An array contributes its items; an empty array contributes undefined.
        case sorting
        /// An array contributes its items.
        case items
        /// An array contributes its items and itself.
        case itemsAndArrays
    }

    /// Returns the values at a path by the rules of filters, for which a path continues in each item of an array; a
    /// missing value is nil.
    func leaves(at path: FilterPath, _ choice: LeafChoice) -> [BSON?] {
        let none: [UInt8] = []
        switch content {
        case .made(let document): return Self.leaves(of: BSON.document(document), path, choice, none.span)
        case .stored(_, let id) where path.isID:
            // The path `_id` alone has one value, which isn't an array.
            return path.count == 1 ? [id] : Self.leaves(of: id, path.tail, choice, none.span)
        case .stored(let body, _):
            guard let root = JSONBElement(root: body.span) else { return [nil] }
            return Self.leaves(of: root, path, choice, body.span)
        }
    }

    private static func leaves<Node: FilterNode>(
        of root: Node, _ path: FilterPath, _ choice: LeafChoice, _ bytes: borrowing Span<UInt8>
    ) -> [BSON?] {
        let bytes = copy bytes
        var leaves: [BSON?] = []
        _ = path.visit(root, in: bytes) { (leaf) in
            guard let node = leaf.node else {
                leaves.append(nil)
                return false
            }
            if !leaf.isWholeArray || leaf.isPlace || choice == .itemsAndArrays {
                leaves.append(node.value(in: bytes))
            } else if choice == .sorting, node.itemCount(upTo: 1, in: bytes) == 0 {
                leaves.append(.undefined)
            }
            return false
        }
        return leaves
    }
}
