internal import SealiteValues

extension StageKind {
    /// The stage `$unwind`, which produces a row for each item of an array.
    static let unwinding: [StageKind] = [
        .init("$unwind") { specification, _ in
            var options = MongoDocument()
            if case .string = specification {
                options["path"] = specification
            } else if case .document(let given) = specification {
                options = given
            } else {
                throw MongoError(code: 15981, "$unwind takes a string or an object, not \(specification.type.alias).")
            }
            return try UnwindStage(options)
        }
    ]
}

extension Row {
    /// Returns the value that a path reaches through documents only; nil if it is missing.
    func member(at path: [String]) -> BSON? {
        guard let first = path.first, var value = self[first] else { return nil }
        for name in path.dropFirst() {
            guard case .document(let document) = value, let next = document[name] else { return nil }
            value = next
        }
        return value
    }
}

extension MongoDocument {
    /// Sets the value at a path, or removes it if `value` is nil. Setting replaces values on the path that aren't
    /// documents by documents; removing leaves them.
    mutating func set(_ value: BSON?, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            self[name] = value
            return
        }
        var nested = MongoDocument()
        if case .document(let document) = self[name] { nested = document }
        guard value != nil || !nested.isEmpty else { return }
        nested.set(value, at: path.dropFirst())
        self[name] = .document(nested)
    }
}

/// The stage `$unwind`, which produces a row for each item of an array.
struct UnwindStage: Stage {
    private let path: [String]
    private let index: [String]?
    private let keepsEmpty: Bool

    init(_ options: MongoDocument) throws {
        for key in options.keys where !["path", "includeArrayIndex", "preserveNullAndEmptyArrays"].contains(key) {
            throw MongoError(code: 28811, "$unwind doesn't know the member '\(key)'.")
        }
        let given = try require(options["path"], 28812, "$unwind needs a 'path'.")
        let text = try require(given.text, 28808, "$unwind takes a string as 'path'.")
        try require(!text.isEmpty, 28812, "$unwind needs a 'path' that isn't empty.")
        try require(!text.utf8.contains(0), 16419, "$unwind takes no path with a NUL character.")
        try require(text.hasPrefix("$"), 28818, "$unwind takes a path that begins with '$'.")
        path = try FieldPath(String(text.dropFirst())).names
        switch options["preserveNullAndEmptyArrays"] {
        case nil: keepsEmpty = false
        case .bool(let value): keepsEmpty = value
        default: throw MongoError(code: 28809, "$unwind takes a boolean as 'preserveNullAndEmptyArrays'.")
        }
        switch options["includeArrayIndex"] {
        case nil: index = nil
        case .string(let name) where !name.isEmpty:
            try require(
                !name.hasPrefix("$"), 28822, "$unwind takes a name that doesn't begin with '$' as 'includeArrayIndex'.")
            index = try FieldPath(name).names
        default: throw MongoError(code: 28810, "$unwind takes the name of a member as 'includeArrayIndex'.")
        }
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        var input = input
        var (source, document, items, place) = (Row([:]), MongoDocument(), [BSON](), 0)
        return RowCursor {
            while place >= items.count {
                guard let row = try input.next() else { return nil }
                let value = row.member(at: path)
                if case .array(let found) = value, !found.isEmpty {
                    (source, document, items, place) = (row, row.document, found, 0)
                } else if let result = single(row, value) {
                    return result
                }
            }
            defer { place += 1 }
            try run.work.charge(1 + document.count)
            return source.replaced(by: unwound(document, items[place], .int64(Int64(place))))
        }
    }

    /// Returns the only row that is produced for a row without array items: its value is an empty array, null, missing
    /// or not an array. Nil if no row is produced.
    private func single(_ row: Row, _ value: BSON?) -> Row? {
        let isEmpty = if case .array = value { true } else { value.isNullish }
        guard !isEmpty || keepsEmpty else { return nil }
        var result = row.document
        if case .array = value { result.set(nil, at: path[...]) }
        if let index { result.set(.null, at: index[...]) }
        return row.replaced(by: result)
    }

    private func unwound(_ document: MongoDocument, _ item: BSON, _ place: BSON) -> MongoDocument {
        var result = document
        result.set(item, at: path[...])
        if let index { result.set(place, at: index[...]) }
        return result
    }
}
