internal import SealiteValues

/// A projection: the members of a document that are kept, removed or computed.
struct FieldProjection: Sendable {
    /// The treatment of members that a projection doesn't name.
    enum Mode: Sendable {
        /// Members that aren't named are removed, as are array items on a named path that aren't documents.
        case inclusion
        /// Members that aren't named are kept.
        case exclusion
    }

    let mode: Mode
    let root: ProjectionNode

    /// Returns the projection of a row's document.
    func document(of row: Row, _ evaluation: Evaluation) throws -> MongoDocument {
        evaluation.row = row
        let document = mode == .inclusion ? row.document(ofMembersIn: root.names) : row.document
        guard root.isComputing else { return root.projected(document, mode) }
        let result = try root.computed(root.projected(document, mode), evaluation)
        try BSON.document(result).checkSize()
        return result
    }
}

/// The treatment of the members of a document, or of the documents at a path, by a projection.
struct ProjectionNode: Sendable {
    /// The treatment of a member: it is kept, removed, replaced by a computed value, or treated by members.
    enum Action: Sendable {
        case keep
        case remove
        case compute(ExpressionNode)
        indirect case nested(ProjectionNode)
    }

    /// The named members with their treatment, in the order of the specification.
    private(set) var entries: [(name: String, action: Action)] = []

    var names: [String] { entries.map(\.name) }

    /// A Boolean value that says whether a member, at any depth, is computed.
    var isComputing: Bool {
        entries.contains { entry in
            switch entry.action {
            case .keep, .remove: false
            case .compute: true
            case .nested(let node): node.isComputing
            }
        }
    }

    private func index(of name: String) -> Int? {
        entries.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    // MARK: Building

    /// Adds an action for the member at a path; `text` is the path for error messages.
    ///
    /// - Throws: `MongoError`, with `code` if it isn't nil, if there is an action at the path, above it or below it.
    mutating func add(
        _ action: Action, at path: ArraySlice<String>, of text: String, code: Int? = nil
    ) throws {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            try require(index(of: name) == nil, Self.collision(text, code: code ?? 31250))
            entries.append((name, action))
            return
        }
        var node = ProjectionNode()
        let known = index(of: name)
        if let known {
            guard case .nested(let old) = entries[known].action else {
                throw Self.collision(text, code: code ?? 31249)
            }
            node = old
        }
        try node.add(action, at: path.dropFirst(), of: text, code: code)
        if let known { entries[known].action = .nested(node) } else { entries.append((name, .nested(node))) }
    }

    /// Returns the error for two members of which the second names a part of what the first names, or with the code
    /// 31250, the same or what contains it.
    static func collision(_ path: String, code: Int = 31249) -> MongoError {
        MongoError(code: code, "Two members of a projection are for '\(path)', or one is inside the other.")
    }

    // MARK: Applying

    /// Returns a document with those members that the projection keeps.
    func projected(_ document: MongoDocument, _ mode: FieldProjection.Mode) -> MongoDocument {
        var result: [MongoDocument.Member] = []
        for member in document {
            guard let index = index(of: member.key) else {
                if mode == .exclusion { result.append(member) }
                continue
            }
            switch entries[index].action {
            case .keep: result.append(member)
            case .remove: break
            // A computed member keeps its position.
            case .compute: if mode == .exclusion { result.append(member) }
            case .nested(let node):
                if let value = node.projected(member.value, mode) { result.append(.init(member.key, value)) }
            }
        }
        return MongoDocument(result)
    }

    private func projected(_ value: BSON, _ mode: FieldProjection.Mode) -> BSON? {
        switch value {
        case .document(let document): .document(projected(document, mode))
        case .array(let items): .array(items.compactMap { projected($0, mode) })
        // Members computed below replace a value that isn't a document.
        default: mode == .exclusion || isComputing ? value : Optional.none
        }
    }

    /// Returns a document with the computed members, which replace its members of the same names; a computed value that
    /// is missing removes the member.
    func computed(_ document: MongoDocument, _ evaluation: Evaluation) throws -> MongoDocument {
        var result = document
        for (name, action) in entries {
            switch action {
            case .keep, .remove: break
            case .compute(let node):
                result[name] = try node.value(evaluation)
            case .nested(let node) where node.isComputing:
                result[name] = try node.computed(result[name], evaluation)
            case .nested: break
            }
        }
        return result
    }

    private func computed(_ value: BSON?, _ evaluation: Evaluation) throws -> BSON {
        switch value {
        case .document(let document): .document(try computed(document, evaluation))
        case .array(let items): .array(try items.map { try computed($0, evaluation) })
        default: .document(try computed(MongoDocument(), evaluation))
        }
    }
}
