internal import SealiteValues

/// The projection of a `find`: members as in `$project`, and the operators that select array items (`$slice`,
/// `$elemMatch`, `a.$`).
struct FindProjection: Sendable {
    private let projection: FieldProjection?
    private let parts: [ArrayProjection]
    private let surroundings: CommandVariables.Surroundings

    /// Parses the specification of a projection; nil if it is empty, so that whole documents are returned.
    init?(_ specification: MongoDocument, _ context: FilterContext) throws {
        guard !specification.isEmpty else { return nil }
        var rest = MongoDocument()
        var parts: [ArrayProjection] = []
        for member in specification {
            guard let part = try ArrayProjection(member, context) else {
                rest.append(member.key, member.value)
                continue
            }
            parts.append(part)
        }
        let includes = parts.contains { $0.isInclusion } || Self.includes(rest)
        for part in parts where includes { rest.append(part.path, .int32(1)) }
        try require(parts.count(where: { $0.isPositional }) <= 1, 31276, "A projection can have '.$' only once.")
        let variables = try CommandVariables(context)
        projection = rest.isEmpty ? nil : try FieldProjection(parsing: rest, variables.parser)
        (self.parts, surroundings) = (parts, variables.surroundings)
    }

    /// Returns a Boolean value that says whether a specification is an inclusion: the members that it names are kept,
    /// and all others are removed.
    private static func includes(_ specification: MongoDocument) -> Bool {
        specification.contains { member in
            switch member.value {
            case .bool, .int32, .int64, .double, .decimal128: member.key != "_id" && Optional(member.value).isTrue
            default: true
            }
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

    /// Creates the part that a member of a projection's specification gives; nil if the member doesn't select items of
    /// an array.
    init?(_ member: MongoDocument.Member, _ context: FilterContext) throws {
        if member.key.hasSuffix(".$") {
            path = String(member.key.dropLast(2))
            try require(
                !path.isEmpty && !path.hasSuffix(".$") && !path.contains(".$."), 31394,
                "The projection '\(member.key)' must have '.$' once, at the end of the path of an array.")
            try require(
                Optional(member.value).isTrue && (member.value.type.isNumber || member.value.type == .bool), 31395,
                "The projection '\(member.key)' takes 1 or true.")
            choice = .position
        } else if case .document(let form) = member.value, form.count == 1, let name = form.keys.first,
            let operand = form[name], name == "$slice" || name == "$elemMatch"
        {
            path = member.key
            choice = name == "$slice" ? try Self.slice(operand) : try Self.firstMatch(operand, path, context)
        } else {
            return nil
        }
        names = try FieldPath(path).names
    }

    private static func slice(_ operand: BSON) throws -> Choice {
        switch operand {
        case .int32, .int64, .double, .decimal128:
            let count = truncated(operand)
            return count >= 0 ? .slice(skip: 0, limit: count) : .slice(skip: count, limit: .max)
        case .array(let items):
            try require(
                items.count == 2 && items.allSatisfy({ $0.type.isNumber }), 28724,
                "$slice takes an array of two numbers of items, those to skip and those to return.")
            let limit = truncated(items[1])
            try require(limit > 0, 28729, "$slice takes a positive number of items to return.")
            return .slice(skip: truncated(items[0]), limit: limit)
        default: throw MongoError(code: 28667, "$slice takes a number or an array of two numbers.")
        }
    }

    private static func truncated(_ number: BSON) -> Int64 {
        let bound = Int64(Int32.max)
        let value = number.truncatedInt64 ?? (number.compared(to: .int32(0)) < 0 ? -bound : bound)
        return Swift.min(Swift.max(value, -bound), bound)
    }

    private static func firstMatch(_ operand: BSON, _ path: String, _ context: FilterContext) throws -> Choice {
        try require(
            !path.utf8.contains(UInt8(ascii: ".")), 31275,
            "A projection with $elemMatch takes the name of a field of the document, not a path.")
        guard case .document = operand else {
            throw MongoError(code: 31274, "A projection with $elemMatch takes an object, not \(operand.type.alias).")
        }
        return .firstMatch(try FilterParser(context).elements(operand))
    }

    /// A Boolean value that says whether this part makes the projection remove the members that it doesn't name.
    var isInclusion: Bool { if case .slice = choice { false } else { true } }

    /// A Boolean value that says whether the part selects the item at which the filter found its value (`a.$`).
    var isPositional: Bool { if case .position = choice { true } else { false } }

    /// Replaces each array at the path in a document by its selected items. `$elemMatch` removes a value that isn't an
    /// array or has no matching item. `match` is the filter's match of the document, which has the position that `a.$`
    /// selects.
    func apply(to document: inout MongoDocument, _ match: FilterMatch) throws {
        var value: BSON? = .document(document)
        try apply(at: names[...], to: &value, match)
        if case .document(let changed)? = value { document = changed }
    }

    private func apply(at names: ArraySlice<String>, to value: inout BSON?, _ match: FilterMatch) throws {
        switch value {
        case .array(let items)? where names.isEmpty: value = try chosen(from: items, match).map { .array($0) }
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
            guard let place = match.position, place < items.count else {
                throw MongoError(
                    code: 51246,
                    "No item of the array '\(path)' is the one that the filter found, which '.$' stands for."
                )
            }
            return [items[place]]
        }
    }
}
