internal import SealiteValues

/// The filters of an update for items of arrays, by the names with which paths refer to them as `$[name]`.
struct ArrayFilters: Sendable {
    private var filters: [String: Filter] = [:]

    init(_ documents: [BSON], _ context: FilterContext) throws {
        for value in documents {
            let document = try require(
                value.members, .typeMismatch("An item of 'arrayFilters' must be an object, not \(value.type.alias)."))
            let name = try Self.name(of: document)
            try require(filters[name] == nil, .failedToParse("Two items of 'arrayFilters' are for the name '\(name)'."))
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
                try require(
                    filters[name] != nil,
                    .badValue("The path '\(path.text)' needs an item of 'arrayFilters' for the name '\(name)'."))
                unused.remove(name)
            }
        }
        guard let name = unused.min() else { return }
        throw MongoError.failedToParse("No path of the update has the name '\(name)' of an item of 'arrayFilters'.")
    }

    // MARK: - Names

    private static func name(of filter: MongoDocument) throws -> String {
        var names: Set<String> = []
        try collect(filter, &names, depth: 0)
        let name = try require(
            names.first, .badValue("An item of 'arrayFilters' needs a condition that begins with its name."))
        guard names.count == 1 else {
            let listed = names.sorted().map { "'\($0)'" }.joined(separator: " and ")
            throw MongoError.failedToParse(
                "The conditions of an item of 'arrayFilters' begin with different names: \(listed).")
        }
        guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            name.utf8.allSatisfy({ isLetterOrDigit($0) })
        else {
            throw MongoError.badValue(
                "The name '\(name)' of an item of 'arrayFilters' must begin with a to z, followed by ASCII letters and digits."
            )
        }
        return name
    }

    private static func collect(_ filter: MongoDocument, _ names: inout Set<String>, depth: Int) throws {
        try require(
            depth < FilterParser.maximumDepth,
            .badValue("An array filter is nested more than \(FilterParser.maximumDepth) levels deep."))
        for member in filter {
            try require(member.key != "$expr", 224, "An item of 'arrayFilters' can't have $expr.")
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
