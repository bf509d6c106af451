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
            /// The value itself, an item of an array.
            case whole
            /// The value at a path into an item of an array, by the rules of expressions.
            case member([String])
            /// Metadata of the document, such as a score.
            case metadata(MetadataField)
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
    /// `metadata` are the fields of metadata that the documents have.
    init(_ specification: BSON, metadata: Set<MetadataField> = []) throws {
        let document = try requireDocument(specification, 15973, "A sort specification is an object")
        try require(!document.isEmpty, 15976, "A sort specification needs at least one key.")
        keys = try document.map { try Self.key($0, metadata) }
        try require(
            Set(document.keys.map { Array($0.utf8) }).count == document.count, 7_472_500,
            "A sort specification has the same path twice.")
        let count = keys.count { $0.path != nil }
        try require(
            count <= Self.maximumCount, 13103,
            "A sort specification can have at most \(Self.maximumCount) keys, not \(count).")
    }

    private static func key(_ member: MongoDocument.Member, _ metadata: Set<MetadataField>) throws -> Key {
        if case .document(let form) = member.value {
            let name = try require(
                form["$meta"], 17312, "A sort specification's directions must be 1, -1 or an object with $meta.")
            try require(form.count == 1, 9, "An object with $meta in a sort specification must have no other members.")
            let field = try MetadataField(ofSort: name, available: metadata)
            return Key(subject: .metadata(field), isDescending: true)
        }
        try require(
            member.value.type.isNumber, 15974,
            "A sort specification's directions must be 1, -1 or an object with $meta.")
        let isDescending = try require(
            isDescending(member.value), 15975, "A sort specification's directions must be 1 or -1.")
        return Key(subject: .path(try FilterPath(try FieldPath(member.key).text)), isDescending: isDescending)
    }

    /// Creates the order that a sort specification describes for items of an array; 1 or -1 instead of an object
    /// compares whole items.
    init(ofItems specification: BSON) throws {
        guard case .document(let document) = specification else {
            try require(
                specification.type.isNumber, 2_942_507, "$sortArray takes 1, -1 or an object as 'sortBy'.")
            let isDescending = try require(
                specification.exactInt64.flatMap { $0.magnitude == 1 ? $0 < 0 : nil }, 2_942_506,
                "$sortArray takes 1 or -1 as the direction of whole items.")
            self.init(keys: [Key(subject: .whole, isDescending: isDescending)])
            return
        }
        let isValid =
            !document.isEmpty
            && document.allSatisfy { Self.isDescending($0.value) != nil || $0.value.members?["$meta"] != nil }
        try require(isValid, 2_942_505, "$sortArray takes an object of paths with 1 or -1 as 'sortBy'.")
        self.init(
            keys: document.map { member in
                Key(
                    subject: .member(member.key.split(separator: ".").map(String.init)),
                    isDescending: Self.isDescending(member.value) ?? false)
            })
    }

    /// The order in which all rows are equal.
    static let none = SortOrder(keys: [])

    private init(keys: [Key]) { self.keys = keys }

    /// Returns whether a direction is descending, -1, and not 1; nil for any other value. The fraction of a double is
    /// dropped, and a Decimal128 is rounded.
    private static func isDescending(_ direction: BSON) -> Bool? {
        var direction = direction
        if case .decimal128(let number) = direction { direction = .decimal128(number.rounded(places: 0)) }
        let number = direction.truncatedInt64
        return number == 1 ? false : number == -1 ? true : nil
    }

    // MARK: Values

    /// Returns the values by which a row is sorted, one for each of `keys`.
    func values(of row: Row) -> [BSON] { keys.map { $0.value(of: row) } }

    /// Returns the values by which an item of an array is sorted, one for each of `keys`.
    func values(of item: BSON) -> [BSON] {
        keys.map { key in
            guard case .member(let names) = key.subject else { return item }
            guard case .document(let document) = item else { return .null }
            return document[names[0]]?.value(at: names.dropFirst()) ?? .null
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
    /// Returns the value by which a row is sorted: its metadata, or the least of the values at the path, or the greatest for a
    /// descending order. An empty array is below null, and a missing value is null.
    fileprivate func value(of row: Row) -> BSON {
        if case .metadata(let field) = subject {
            return field == .randVal ? .double(.random(in: 0..<1)) : row.metadata(field) ?? .null
        }
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
