internal import SealiteValues

/// The initial document of an upsert, which the update then changes: it has the members that the filter requires to be
/// equal to a value.
struct UpsertSeed {
    private var values: [(path: [String], value: BSON)] = []

    /// Returns the initial document for a filter. `onlyID` is true for a replacement, for which the document has the
    /// `_id` only.
    ///
    /// - Throws: `MongoError` if the filter has two values for one path.
    static func document(of filter: MongoDocument, onlyID: Bool) throws -> MongoDocument {
        var seed = UpsertSeed()
        try seed.collect(filter, depth: 0)
        var document = MongoDocument()
        for (path, value) in seed.values where !onlyID || path == ["_id"] {
            var root: BSON? = .document(document)
            put(value, at: path[...], in: &root)
            if case .document(let changed)? = root { document = changed }
        }
        if let id = document["_id"] { document.putFirst("_id", id) }
        return document
    }

    private static func put(_ value: BSON, at path: ArraySlice<String>, in target: inout BSON?) {
        guard let name = path.first else {
            target = value
            return
        }
        var document = MongoDocument()
        if case .document(let present)? = target { document = present }
        var member = document[name]
        put(value, at: path.dropFirst(), in: &member)
        document[name] = member
        target = .document(document)
    }

    // MARK: - Filters

    private mutating func collect(_ filter: MongoDocument, depth: Int) throws {
        guard depth < FilterParser.maximumDepth else {
            throw MongoError.badValue("A filter is nested more than \(FilterParser.maximumDepth) levels deep.")
        }
        for member in filter {
            switch (member.key, member.value) {
            case ("$and", .array(let items)):
                for case .document(let document) in items { try collect(document, depth: depth + 1) }
            case ("$or", .array(let items)):
                guard items.count == 1, case .document(let document) = items[0] else { continue }
                try collect(document, depth: depth + 1)
            case (let name, _) where name.hasPrefix("$"): continue
            case (let path, .document(let operators)) where operators.isOperators:
                for condition in operators { try add(condition, at: path) }
            case (_, .regex): continue
            case (let path, let value): try add(value, at: path)
            }
        }
    }

    private mutating func add(_ condition: MongoDocument.Member, at path: String) throws {
        switch (condition.key, condition.value) {
        case ("$eq", let value): try add(value, at: path)
        case ("$in", .array(let items)) where items.count == 1:
            if case .regex = items[0] { return }
            try add(items[0], at: path)
        case ("$all", .array(let items)):
            for item in items {
                switch item {
                case .regex: continue
                case .document(let document) where document.isOperators: continue
                default: try add(item, at: path)
                }
            }
        default: break
        }
    }

    private mutating func add(_ value: BSON, at path: String) throws {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !values.contains(where: { $0.path.starts(with: names) || names.starts(with: $0.path) }) else {
            throw MongoError(code: 54, "The filter of an upsert gives '\(path)' two values.")
        }
        values.append((names, value))
    }
}
