internal import SealiteValues

/// The projection of a `find`: members as in `$project`, and the operators that select array items (`$slice`,
/// `$elemMatch`, `a.$`).
struct FindProjection: Sendable {
    private let projection: FieldProjection?
    private let parts: [ArrayProjection]
    private let surroundings: CommandVariables.Surroundings

    /// Parses the specification of a projection; nil if it is empty, so that whole documents are returned.
    /// `metadata` are the fields of metadata that the documents have.
    init?(_ specification: MongoDocument, _ context: FilterContext, metadata: Set<MetadataField> = []) throws {
        guard !specification.isEmpty else { return nil }
        var rest = MongoDocument()
        let members = try specification.map { member in
            let part = try ArrayProjection(member, context)
            return (name: part?.path ?? member.key, value: member.value, part: part)
        }
        var parts = members.compactMap(\.part)
        try Self.check(parts)
        let includes = Self.includes(members)
        for member in members {
            // In an exclusion, the documents' other members are kept anyway.
            if member.part == nil {
                rest.append(member.name, member.value)
            } else if includes {
                rest.append(member.name, .int32(1))
            }
        }
        for index in parts.indices { parts[index].movesToEnd = includes }
        let variables = try CommandVariables(context)
        var parser = variables.parser
        parser.metadata = metadata
        projection = rest.isEmpty ? nil : try FieldProjection(parsing: rest, parser, isOfFind: true)
        (self.parts, surroundings) = (parts, variables.surroundings)
    }

    /// A Boolean value that says whether the projection selects the item at which the filter found its value (`a.$`).
    var isPositional: Bool { parts.contains { $0.isPositional } }

    /// Throws `MongoError` if parts can't be in one projection.
    private static func check(_ parts: [ArrayProjection]) throws {
        guard let position = parts.firstIndex(where: { $0.isPositional }) else { return }
        try require(parts.count(where: { $0.isPositional }) <= 1, 31276, "A projection can have '.$' only once.")
        guard let match = parts.firstIndex(where: { $0.isFirstMatch }) else { return }
        throw MongoError(
            code: position < match ? 31255 : 31256, "A projection can't have '.$' together with $elemMatch.")
    }

    /// Returns a Boolean value that says whether the members of a specification are an inclusion: those that they name
    /// are kept, and all others are removed. The first member decides that isn't a `$slice`, an `$elemMatch` or the
    /// `_id`; if there is none, `$elemMatch`, or an `_id` to be kept, makes an inclusion.
    private static func includes(_ members: [(name: String, value: BSON, part: ArrayProjection?)]) -> Bool {
        for member in members {
            if let part = member.part {
                if part.isPositional { return true }
            } else if member.name != "_id" {
                return isKept(member.value)
            }
        }
        return members.contains { member in
            member.part.map { $0.isFirstMatch } ?? isKept(member.value)
        }
    }

    private static func isKept(_ value: BSON) -> Bool {
        switch value {
        case .bool, .int32, .int64, .double, .decimal128: Optional(value).isTrue
        default: true
        }
    }

    /// Returns a new projector, for use by one thread at a time.
    func projector() -> Projector { Projector(projection: projection, parts: parts, surroundings.evaluation()) }

    /// A projection that can be applied to documents, by one thread at a time.
    struct Projector {
        private let projection: FieldProjection?
        private let parts: [ArrayProjection]
        private let evaluation: Evaluation

        fileprivate init(projection: FieldProjection?, parts: [ArrayProjection], _ evaluation: Evaluation) {
            (self.projection, self.parts, self.evaluation) = (projection, parts, evaluation)
        }

        /// Returns the projection of a row's document. `match` is the filter's match of the row, which has the index of
        /// the array item that `a.$` selects.
        func document(of row: Row, _ match: FilterMatch) throws -> MongoDocument {
            var document = try projection?.document(of: row, evaluation) ?? row.document
            for part in parts { try part.apply(to: &document, match) }
            return document
        }
    }
}

/// A part of a projection that selects items of an array.
struct ArrayProjection: Sendable {
    private enum Choice: Sendable {
        /// At most `limit` items after the first `skip` ones; a negative `skip` counts from the end of the array.
        case slice(skip: Int64, limit: Int64)
        /// The first item that fulfils conditions.
        case firstMatch(ElementTest)
        /// The item at the index at which the filter found its value.
        case position
    }

    /// The path to the array.
    let path: String
    private let names: [String]
    private let choice: Choice
    /// A Boolean value that says whether an `$elemMatch` moves its member to the document's end, as in an inclusion.
    var movesToEnd = false

    /// Creates the part that a member of a projection's specification gives; nil if the member doesn't select items of
    /// an array.
    init?(_ member: MongoDocument.Member, _ context: FilterContext) throws {
        if member.key.hasSuffix(".$") {
            path = String(member.key.dropLast(2))
            try require(
                !path.isEmpty && !path.hasSuffix(".$") && !path.contains(".$."), 31394,
                "The projection '\(member.key)' must have '.$' once, at the end of the path of an array.")
            let type = member.value.type
            try require(
                type.isNumber || type == .bool, type == .document ? 31271 : 31308,
                "The projection '\(member.key)' takes 1 or true, not \(type.alias).")
            try require(Optional(member.value).isTrue, 31395, "The projection '\(member.key)' takes 1 or true.")
            choice = .position
        } else if case .document(let form) = member.value, form.count == 1, let name = form.keys.first,
            let operand = form[name], name == "$slice" || name == "$elemMatch"
        {
            path = member.key
            if name == "$elemMatch" {
                choice = try Self.firstMatch(operand, path, context)
            } else {
                guard let slice = Self.slice(operand) else { return nil }
                choice = slice
            }
        } else {
            try require(
                !member.key.contains(".$."), 31394,
                "The projection '\(member.key)' must have '.$' at the end of the path of an array.")
            return nil
        }
        names = try FieldPath(path).names
    }

    /// Returns the choice of a `$slice` of one number, or of two of which the second is positive; nil for any other
    /// operand, with which `$slice` is the operator of expressions.
    private static func slice(_ operand: BSON) -> Choice? {
        guard case .array(let items) = operand else {
            guard operand.type.isNumber else { return nil }
            let count = truncated(operand)
            return count >= 0 ? .slice(skip: 0, limit: count) : .slice(skip: count, limit: .max)
        }
        guard items.count == 2, items.allSatisfy({ $0.type.isNumber }) else { return nil }
        let limit = truncated(items[1])
        return limit > 0 ? .slice(skip: truncated(items[0]), limit: limit) : nil
    }

    private static func truncated(_ number: BSON) -> Int64 {
        guard !number.isNotANumber else { return 0 }
        let bound = Int64(Int32.max)
        let value = number.truncatedInt64 ?? (number.compared(to: .int32(0)) < 0 ? -bound : bound)
        return Swift.min(Swift.max(value, -bound), bound)
    }

    private static func firstMatch(_ operand: BSON, _ path: String, _ context: FilterContext) throws -> Choice {
        _ = try FieldPath(path)
        try require(
            !path.utf8.contains(UInt8(ascii: ".")), 31275,
            "A projection with $elemMatch takes the name of a field of the document, not a path.")
        guard case .document = operand else {
            throw MongoError(code: 31274, "A projection with $elemMatch takes an object, not \(operand.type.alias).")
        }
        return .firstMatch(try FilterParser(context, isOfProjection: true).elements(operand))
    }

    /// A Boolean value that says whether the part is an `$elemMatch`.
    var isFirstMatch: Bool { if case .firstMatch = choice { true } else { false } }

    /// A Boolean value that says whether the part selects the item at which the filter found its value (`a.$`).
    var isPositional: Bool { if case .position = choice { true } else { false } }

    /// Replaces each array at the path in a document by its selected items. `$elemMatch` removes a value that isn't an
    /// array or has no matching item. `match` is the filter's match of the document, which has the position that `a.$`
    /// selects.
    func apply(to document: inout MongoDocument, _ match: FilterMatch) throws {
        var value: BSON? = .document(document)
        try apply(at: names[...], to: &value, match)
        if case .document(let changed)? = value { document = changed }
        if movesToEnd, isFirstMatch, let member = document[path] {
            document[path] = nil
            document.append(path, member)
        }
    }

    private func apply(at names: ArraySlice<String>, to value: inout BSON?, _ match: FilterMatch) throws {
        switch value {
        // `a.b.$` selects an item of the first array on the path.
        case .array(let items)? where names.isEmpty || isPositional:
            value = try chosen(from: items, match).map { .array($0) }
        case .array(var items)?:
            for index in items.indices {
                var item: BSON? = items[index]
                try apply(at: names, to: &item, match)
                items[index] = item ?? .null
            }
            value = .array(items)
        case .document(var document)?:
            guard let name = names.first, document[name] != nil else {
                if names.isEmpty, case .firstMatch = choice { value = nil }
                return
            }
            var member = document[name]
            try apply(at: names.dropFirst(), to: &member, match)
            document[name] = member
            value = .document(document)
        default:
            // A value that isn't an array has no matching item.
            if names.isEmpty, case .firstMatch = choice { value = nil }
        }
    }

    private func chosen(from items: [BSON], _ match: FilterMatch) throws -> [BSON]? {
        switch choice {
        case .slice(let skip, let limit):
            let count = Int64(items.count)
            let start = skip < 0 ? max(count + skip, 0) : min(skip, count)
            return Array(items[Int(start)..<Int(start + min(limit, count - start))])
        case .firstMatch(let test):
            let none: [UInt8] = []
            let place = try FilterMatcher.firstItem(of: BSON.array(items), passing: test, in: none.span)
            return place.map { [items[$0]] }
        case .position:
            let place = try require(
                match.position, 51246,
                "The filter found no item of an array, which '.$' of '\(path)' stands for.")
            try require(
                place < items.count, 51247, "The array '\(path)' has no item at the index that the filter found.")
            return [items[place]]
        }
    }
}
