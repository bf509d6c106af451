internal import SealiteJSON

extension MongoDocument {
    /// Returns the document in the form in which a database stores its body: JSONB, with Extended JSON for the types
    /// that JSON lacks.
    package func stored() throws(StoredValueError) -> [UInt8] {
        var writer = StoredWriter(.all)
        try writer.writeMembers(of: self)
        return writer.bytes
    }
}

extension BSON {
    /// Returns the value in the form in which a document's body stores it: one JSONB element, with Extended JSON for
    /// the types that JSON lacks.
    package func stored(_ refused: RefusedValues = .all) throws(StoredValueError) -> [UInt8] {
        var writer = StoredWriter(refused)
        try writer.write(self)
        return writer.bytes
    }
}

/// The values that can't be stored, as far as they are refused.
package enum RefusedValues: Sendable {
    /// Every value is written, for one that is read again at once.
    case nothing
    /// Objects that would be read as values of other types, and repeated names.
    case ambiguous
    /// Ambiguous values, and those of deprecated types.
    case all
}

/// A serializer of the stored form of values.
private struct StoredWriter: ~Copyable {
    private var output = JSONBWriter(capacity: 256)
    private var path: [String] = []
    private let refused: RefusedValues

    init(_ refused: RefusedValues) { self.refused = refused }

    var bytes: [UInt8] { output.bytes }

    mutating func write(_ value: BSON) throws(StoredValueError) {
        switch value {
        case .null, .bool, .string, .int32: writePlain(value)
        case .array(let items): try write(items)
        case .document(let document):
            try check(document)
            try writeMembers(of: document)
        case .undefined where refused == .all, .dbPointer where refused == .all, .symbol where refused == .all:
            throw .refusedType(value.type, path: joinedPath)
        case .codeWithScope(let text, let scope): try writeCode(text, scope)
        default:
            if path.count < JSONB.maximumDepth, let single = Wrapper.single(of: value, .stored) {
                return wrap(single.name, single.text)
            }
            guard let wrapper = Wrapper.document(of: value, .stored) else { return writePlain(value) }
            // Such a wrapper consists of up to two nested objects.
            guard path.count + 2 <= JSONB.maximumDepth else { throw .tooDeep }
            writePlain(.document(wrapper))
        }
    }

    /// Throws an error for a document that would be read back as a value of another type.
    private func check(_ document: MongoDocument) throws(StoredValueError) {
        guard refused == .nothing || Wrapper.value(of: document) == nil else {
            throw .looksLikeWrapper(path: joinedPath)
        }
    }

    private var joinedPath: String { path.joined(separator: ".") }

    mutating func writeMembers(of document: MongoDocument) throws(StoredValueError) {
        guard path.count < JSONB.maximumDepth else { throw .tooDeep }
        if refused != .nothing, let name = document.repeatedName {
            throw .duplicateName(path: (path + [name]).joined(separator: "."))
        }
        let begun = output.begin(guess: 100)
        for member in document {
            path.append(member.key)
            output.string(member.key)
            try write(member.value)
            path.removeLast()
        }
        output.end(JSONBType.object, begun)
    }

    private mutating func write(_ items: [BSON]) throws(StoredValueError) {
        guard path.count < JSONB.maximumDepth else { throw .tooDeep }
        let begun = output.begin(guess: 100)
        for (index, item) in items.enumerated() {
            path.append(String(index))
            try write(item)
            path.removeLast()
        }
        output.end(JSONBType.array, begun)
    }

    // MARK: - Wrappers

    /// Writes a value that JSON can represent as it is. The value may be a wrapper, an object such as
    /// `{"$date": …}` that represents a value of a type that JSON lacks; any other type is written as null.
    private mutating func writePlain(_ value: BSON) {
        switch value {
        case .bool(let value): output.boolean(value)
        case .string(let text): output.string(text)
        case .int32(let number): output.integer(Int64(number))
        case .int64(let number): output.integer(number)
        case .double(let number): output.ascii(JSONBType.float, DoubleText.text(of: number))
        case .document(let document):
            let begun = output.begin(guess: 40)
            for member in document {
                output.string(member.key)
                writePlain(member.value)
            }
            output.end(JSONBType.object, begun)
        default: output.null()
        }
    }

    private mutating func wrap(_ name: String, _ text: String) {
        let begun = output.begin(guess: name.utf8.count + text.utf8.count + 4)
        output.string(name)
        output.string(text)
        output.end(JSONBType.object, begun)
    }

    private mutating func writeCode(_ text: String, _ scope: MongoDocument) throws(StoredValueError) {
        guard path.count < JSONB.maximumDepth else { throw .tooDeep }
        let begun = output.begin(guess: 100)
        output.string("$code")
        output.string(text)
        output.string("$scope")
        path.append("$scope")
        // Read back, such a scope would be the value that its wrapper stands for.
        try check(scope)
        try writeMembers(of: scope)
        path.removeLast()
        output.end(JSONBType.object, begun)
    }
}

extension MongoDocument {
    /// A name that occurs twice; nil if there is none.
    fileprivate var repeatedName: String? {
        // Comparing few names is faster than hashing them.
        guard count > 8 else {
            return members.indices.lazy.filter { index in
                members[..<index].contains { ExactText.areSame($0.key, members[index].key) }
            }.first.map { members[$0].key }
        }
        var names: Set<ExactText> = []
        return members.first { !names.insert(ExactText($0.key)).inserted }?.key
    }
}
