internal import SealiteValues

/// The filters of an update for items of arrays, by the names with which paths refer to them as `$[name]`.
struct ArrayFilters: Sendable {
    private var filters: [String: Filter] = [:]

    init(_ documents: [BSON], _ context: FilterContext) throws {
        for value in documents {
            guard case .document(let document) = value else {
                throw MongoError.typeMismatch("arrayFilters holds a value of type \(value.type.alias), not an object.")
            }
            let name = try Self.name(of: document)
            guard filters[name] == nil else {
                throw MongoError.failedToParse(
                    "Found multiple array filters with the same top-level field name \(name)")
            }
            filters[name] = try Filter(parsing: document, context: context)
        }
    }

    /// Returns a Boolean value that says whether an item fulfils the filter with a name; true for the empty name, false
    /// if there is no such filter.
    func match(_ item: BSON, _ name: String) throws -> Bool {
        guard !name.isEmpty else { return true }
        guard let filter = filters[name] else { return false }
        return try filter.matches(Row([MongoDocument.Member(name, item)]))
    }

    /// Throws `MongoError` if a path refers to a name without a filter, or if no path refers to a filter.
    func check(_ paths: [UpdatePath]) throws {
        var unused = Set(filters.keys)
        for path in paths {
            for case .items(let name) in path.steps where !name.isEmpty {
                guard filters[name] != nil else {
                    throw MongoError.badValue("No array filter found for identifier '\(name)' in path '\(path.text)'")
                }
                unused.remove(name)
            }
        }
        guard let name = unused.min() else { return }
        throw MongoError.failedToParse("The array filter for identifier '\(name)' was not used in the update")
    }

    // MARK: - Names

    private static func name(of filter: MongoDocument) throws -> String {
        var names: Set<String> = []
        try collect(filter, &names, depth: 0)
        guard let name = names.first else {
            throw MongoError.badValue("Cannot use an expression without a top-level field name in arrayFilters")
        }
        guard names.count == 1 else {
            let listed = names.sorted().map { "'\($0)'" }.joined(separator: " and ")
            throw MongoError.failedToParse("Expected a single top-level field name, found \(listed)")
        }
        guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            name.utf8.allSatisfy({ isLetterOrDigit($0) })
        else {
            throw MongoError.badValue(
                "The top-level field name '\(name)' of an array filter must be of ASCII letters and digits, and begin with a lowercase letter"
            )
        }
        return name
    }

    private static func collect(_ filter: MongoDocument, _ names: inout Set<String>, depth: Int) throws {
        guard depth < FilterParser.maximumDepth else {
            throw MongoError.badValue("An array filter is nested more than \(FilterParser.maximumDepth) levels deep.")
        }
        for member in filter {
            if ["$and", "$or", "$nor"].contains(member.key), case .array(let items) = member.value {
                for case .document(let document) in items { try collect(document, &names, depth: depth + 1) }
            } else if !member.key.hasPrefix("$") {
                names.insert(String(member.key.prefix { $0 != "." }))
            }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
