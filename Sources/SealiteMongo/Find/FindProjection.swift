internal import SealiteValues

/// The projection of a `find`: members as in `$project`, and the operators that select array items (`$slice`,
/// `$elemMatch`, `a.$`).
struct FindProjection: Sendable {
    private let projection: Projection?
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
        guard parts.count(where: { $0.isPositional }) <= 1 else {
            throw MongoError(code: 31276, "A projection can have '.$' only once.")
        }
        let variables = try CommandVariables(context)
        projection = rest.isEmpty ? nil : try Projection(parsing: rest, variables.parser)
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
        private let projection: Projection?
        private let parts: [ArrayProjection]
        private let evaluation: Evaluation

        fileprivate init(projection: Projection?, parts: [ArrayProjection], _ evaluation: Evaluation) {
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
