internal import SealiteJSON

extension MongoDocument {
    /// Returns the document as a body is stored (JSONB).
    package func stored() throws(StoredValueError) -> [UInt8] {
        var writer = StoredWriter()
        try writer.writeMembers(of: self)
        return writer.bytes
    }
}

extension BSON {
    /// Returns the value as one stored element (JSONB).
    package func stored() throws(StoredValueError) -> [UInt8] {
        var writer = StoredWriter()
        try writer.write(self)
        return writer.bytes
    }
}

/// Writes values as they are stored.
private struct StoredWriter: ~Copyable {
    private var output = JSONBWriter(capacity: 256)
    private var path: [String] = []

    var bytes: [UInt8] { output.bytes }

    mutating func write(_ value: BSON) throws(StoredValueError) {
        switch value {
        case .null: output.null()
        case .bool(let value): output.boolean(value)
        case .string(let text): output.string(text)
        case .int32(let number): output.integer(Int64(number))
        case .int64(let number) where Int32(exactly: number) == nil: output.integer(number)
        case .double(let number) where number.isFinite: output.ascii(JSONBType.float, DoubleText.text(of: number))
        case .array(let items): try write(items)
        case .document(let document):
            guard Wrapper.value(of: document) == nil else { throw .looksLikeWrapper(path: joinedPath) }
            try writeMembers(of: document)
        case .undefined, .dbPointer, .symbol: throw .refusedType(value.type, path: joinedPath)
        case .codeWithScope(let text, let scope): try writeCode(text, scope)
        default:
            // A wrapper is up to two objects in each other.
            guard path.count + 2 <= JSONB.maximumDepth else { throw .tooDeep }
            writeWrapper(value)
        }
    }

    private var joinedPath: String { path.joined(separator: ".") }

    mutating func writeMembers(of document: MongoDocument) throws(StoredValueError) {
        guard path.count < JSONB.maximumDepth else { throw .tooDeep }
        var names: Set<ExactText> = []
        let begun = output.begin(guess: 100)
        for member in document {
            path.append(member.key)
            guard names.insert(ExactText(member.key)).inserted else { throw .duplicateName(path: joinedPath) }
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

    private mutating func writeWrapper(_ value: BSON) {
        switch value {
        case .int64(let number): wrap("$numberLong", String(number))
        case .double(let number): wrap("$numberDouble", DoubleText.text(of: number))
        case .decimal128(let number): wrap("$numberDecimal", number.description)
        case .objectID(let id): wrap("$oid", id.hex)
        case .datetime(let date): write(date)
        case .binary(let binary):
            if let text = binary.uuidText { return wrap("$uuid", text) }
            let members =
                ["base64": Base64Text.text(of: binary.bytes), "subType": binary.subtypeDigits] as KeyValuePairs
            wrap("$binary") { writer in writer.writeTexts(members) }
        case .regex(let regex):
            let members = ["pattern": regex.pattern, "options": regex.options] as KeyValuePairs
            wrap("$regularExpression") { writer in writer.writeTexts(members) }
        case .timestamp(let timestamp):
            wrap("$timestamp") { writer in
                let begun = writer.output.begin(guess: 20)
                writer.output.string("t")
                writer.output.integer(Int64(timestamp.seconds))
                writer.output.string("i")
                writer.output.integer(Int64(timestamp.increment))
                writer.output.end(JSONBType.object, begun)
            }
        case .code(let text): wrap("$code", text)
        case .minKey: wrap("$minKey") { $0.output.integer(1) }
        case .maxKey: wrap("$maxKey") { $0.output.integer(1) }
        default: break
        }
    }

    /// Writes a time in the form whose order is that of the times, if the year allows it.
    private mutating func write(_ date: DateTime) {
        guard DateTime.plainYears.contains(date.milliseconds) else {
            return wrap("$date") { $0.wrap("$numberLong", String(date.milliseconds)) }
        }
        wrap("$date", date.description)
    }

    private mutating func writeCode(_ text: String, _ scope: MongoDocument) throws(StoredValueError) {
        let begun = output.begin(guess: 100)
        output.string("$code")
        output.string(text)
        output.string("$scope")
        path.append("$scope")
        try writeMembers(of: scope)
        path.removeLast()
        output.end(JSONBType.object, begun)
    }

    private mutating func wrap(_ name: String, _ text: String) {
        wrap(name) { $0.output.string(text) }
    }

    private mutating func wrap(_ name: String, _ content: (inout StoredWriter) -> Void) {
        let begun = output.begin(guess: 40)
        output.string(name)
        content(&self)
        output.end(JSONBType.object, begun)
    }

    private mutating func writeTexts(_ members: KeyValuePairs<String, String>) {
        let begun = output.begin(guess: 60)
        for (name, text) in members {
            output.string(name)
            output.string(text)
        }
        output.end(JSONBType.object, begun)
    }
}
