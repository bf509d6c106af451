internal import SealiteValues

/// The order of a sort specification such as `{"a": 1, "b.c": -1}`.
struct SortOrder: Sendable {
    /// A path with its direction.
    struct Key: Sendable {
        /// The path; nil if the value itself is compared, such as an item of an array.
        let path: FilterPath?
        let isDescending: Bool
    }

    /// The maximum number of keys of a specification.
    static let maximumCount = 32

    let keys: [Key]

    /// Creates the order of a specification for documents.
    init(_ specification: BSON) throws {
        guard case .document(let document) = specification else {
            throw MongoError(code: 15973, "A sort specification is an object, not \(specification.type.alias).")
        }
        guard !document.isEmpty else { throw MongoError(code: 15976, "A sort specification has at least one key.") }
        guard document.count <= Self.maximumCount else {
            throw MongoError(code: 13103, "A sort specification has at most \(Self.maximumCount) keys.")
        }
        keys = try document.map { member in
            Key(path: try FilterPath(try FieldPath(member.key).text), isDescending: try Self.isDescending(member.value))
        }
    }

    /// Creates the order of a specification for items of an array: a direction alone compares whole items.
    init(ofItems specification: BSON) throws {
        if case .document = specification {
            try self.init(specification)
        } else {
            self.init(keys: [Key(path: nil, isDescending: try Self.isDescending(specification))])
        }
    }

    private init(keys: [Key]) { self.keys = keys }

    private static func isDescending(_ direction: BSON) throws -> Bool {
        switch Number(direction)?.exactInteger {
        case 1: false
        case -1: true
        default: throw MongoError(code: 15975, "A sort specification's directions are 1 and -1.")
        }
    }

    // MARK: Values

    /// Returns the values by which a row is sorted.
    func values(of row: Row) -> [BSON] { keys.map { $0.value(of: row) } }

    /// Returns the values by which an item of an array is sorted.
    func values(of item: BSON) -> [BSON] {
        keys.map { key in
            guard key.path != nil else { return item }
            guard case .document(let document) = item else { return .null }
            return key.value(of: Row(document))
        }
    }

    /// Returns a negative number, 0 or a positive number if the sort values of the left row come before, are equal to
    /// or come after those of the right one.
    func compare(_ left: [BSON], _ right: [BSON]) -> Int {
        for (index, key) in keys.enumerated() {
            let order = left[index].compared(to: right[index])
            if order != 0 { return key.isDescending ? -order : order }
        }
        return 0
    }

    /// Returns the sorted items; the sort is stable.
    func sorted(_ items: [BSON]) -> [BSON] {
        items.map { (item: $0, values: values(of: $0)) }
            .sorted { compare($0.values, $1.values) < 0 }
            .map(\.item)
    }
}

extension SortOrder.Key {
    /// Returns the least of the values at the path, or the greatest for a descending order. An empty array is below
    /// null, and a missing value is null.
    fileprivate func value(of row: Row) -> BSON {
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
