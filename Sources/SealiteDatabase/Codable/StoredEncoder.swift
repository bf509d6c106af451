internal import SealiteJSON
internal import SealiteValues

/// Encodes one value into a body.
package final class StoredEncoder: Encoder {
    /// The kind of value that the type has begun to write.
    private enum State {
        case unwritten
        case object(JSONBWriter.Begun)
        case array(JSONBWriter.Begun)
        /// A value that isn't a container, or a container that has ended.
        case whole
    }

    /// A container with a separate output, which is inserted when the enclosing value ends.
    private struct Part {
        /// The offset of the null that was written in place of the container and that its output replaces.
        var offset: Int
        let encoder: StoredEncoder
    }

    let output: EncodingOutput
    var api: CodingRules.API { output.rules.api }
    let plan: ValuePlan
    private let parent: StoredEncoder?
    private let key: (any CodingKey)?
    /// The encoder of the enclosing value, which continues when this encoder has ended; nil for a document and for a
    /// container with a separate output.
    private let outer: StoredEncoder?
    private let depth: Int
    private var state = State.unwritten
    /// The offset in the output of the first member name of the object, or of the first item of the array.
    private var start = 0
    /// The index, in the plan of the object's members, of the member that the type is expected to write next.
    private var expected = 0
    /// The number of the array's items so far.
    private(set) var count = 0
    private var parts: [Part] = []
    /// The number of members so far that aren't in the plan.
    private var freeCount = 0
    /// The names of these members; empty while they are few, since comparing a few names is faster.
    private var freeNames: Set<ExactText> = []
    private static let fewNames = 16

    /// The maximum nesting of objects and arrays in a body.
    static let maximumDepth = JSONB.maximumDepth

    /// Returns a value in its stored form. `capacity` is the number of bytes that it may have without growing.
    package static func encode(
        _ value: some Encodable, _ rules: CodingRules, _ plan: ValuePlan = .plain, capacity: Int = 256
    ) throws -> EncodedValue {
        let output = EncodingOutput(capacity: capacity, rules)
        let encoder = StoredEncoder(output, plan)
        if try plan.hasOwnForm && encoder.writeOwnForm(of: value, nil) {
            encoder.state = .whole
        } else {
            try value.encode(to: encoder)
        }
        try encoder.end()
        return EncodedValue(body: output.writer.bytes, blobs: output.blobs)
    }

    /// Creates the encoder of a document.
    private init(_ output: EncodingOutput, _ plan: ValuePlan) {
        (self.output, self.plan) = (output, plan)
        (parent, key, outer, depth) = (nil, nil, nil, 1)
        output.current = ObjectIdentifier(self)
    }

    /// Creates the encoder of a nested value; the outer encoder continues when this one has ended.
    private init(_ plan: ValuePlan, below parent: StoredEncoder, _ key: (any CodingKey)?) {
        (output, self.plan, self.parent, self.key, outer) = (parent.output, plan, parent, key, parent)
        depth = parent.depth + 1
        output.current = ObjectIdentifier(self)
    }

    /// Creates the encoder of a container with a separate output.
    private init(part plan: ValuePlan, below parent: StoredEncoder, _ key: any CodingKey) {
        output = EncodingOutput(capacity: 64, parent.output.rules, outer: parent.output)
        (self.plan, self.parent, self.key, outer, depth) = (plan, parent, key, nil, parent.depth + 1)
        output.current = ObjectIdentifier(self)
    }

    package var codingPath: [any CodingKey] {
        guard let parent, let key else { return [] }
        return parent.codingPath + [key]
    }

    package var userInfo: [CodingUserInfoKey: Any] { output.rules.userInfo }
    var isRoot: Bool { parent == nil }

    /// A Boolean value that says whether no nested value is being written.
    private var isCurrent: Bool {
        @inline(__always) get { output.current == ObjectIdentifier(self) }
    }

    // MARK: - Containers

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        switch state {
        case .unwritten where isCurrent:
            state = .object(output.writer.begin(guess: isRoot ? 300 : 30))
            start = output.writer.count
        case .object: break
        default: fail("encode(to:) writes more than one value, or while a nested value is written")
        }
        return KeyedEncodingContainer(WrittenMembers<Key>(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        switch state {
        case .unwritten where isCurrent:
            state = .array(output.writer.begin(guess: 30))
            start = output.writer.count
        case .array: break
        default: fail("encode(to:) writes more than one value, or while a nested value is written")
        }
        return WrittenItems(encoder: self)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { WrittenSingle(encoder: self) }

    private func fail(_ reason: String) {
        output.failure = output.failure ?? failure(reason)
    }

    func failure(_ reason: String, _ key: (any CodingKey)? = nil) -> EncodingError {
        .invalidValue(
            (), .init(codingPath: key.map { codingPath + [$0] } ?? codingPath, debugDescription: reason))
    }

    // MARK: - Parts of a value

    /// Starts a member by writing its name; the value must be written next. For the document's ID, which isn't in the
    /// body, writes nothing.
    ///
    /// - Returns: the plan of the value; nil for the document's ID, whose value must not be written.
    /// - Throws: `EncodingError` if a nested value is being written, or the container has ended.
    @inline(__always)
    func begin(_ key: some CodingKey) throws -> ValuePlan? {
        guard isCurrent, case .object = state else {
            throw failure("encode(to:) uses a container while a nested value is written, or after it has ended", key)
        }
        let name = key.stringValue
        guard case .object(let object) = plan else {
            beginUnplanned(name)
            return plan.items
        }
        if expected < object.members.count, ExactText.areSame(object.members[expected].name, name) {
            if isRoot, expected == object.keyIndex {
                expected += 1
                return nil
            }
            defer { expected += 1 }
            return write(label: object.members[expected])
        }
        return begin(name, object)
    }

    /// Starts a member that isn't the one that is expected next.
    ///
    /// - Returns: the plan of the value; nil for the document's ID, which isn't in the body.
    private func begin(_ name: String, _ object: ObjectPlan) -> ValuePlan? {
        guard let place = object.place(of: name, expected: expected) else {
            beginUnplanned(name)
            return .plain
        }
        if isRoot, place == object.keyIndex { return nil }
        if place >= expected {
            // The members of the plan before it were skipped, because they are nil.
            expected = place + 1
            return write(label: object.members[place])
        }
        remove(name)
        output.writer.string(name)
        return object.members[place].value
    }

    @inline(__always)
    private func write(label member: MemberPlan) -> ValuePlan {
        let label = member.label
        output.writer.raw(label.span, 0, label.count)
        return member.value
    }

    /// Starts a member that isn't in the plan, and that may have been written before: if a name occurs twice, the last
    /// value counts.
    private func beginUnplanned(_ name: String) {
        defer { output.writer.string(name) }
        // The keys of a dictionary are different.
        if case .dictionary = plan { return }
        freeCount += 1
        guard freeCount > Self.fewNames else { return remove(name) }
        if freeNames.isEmpty { freeNames = Set(output.writer.names(from: start).map { ExactText($0) }) }
        if !freeNames.insert(ExactText(name)).inserted { remove(name) }
    }

    private func remove(_ name: String) {
        let name = Array(name.utf8)
        guard let range = output.writer.member(name, from: start) else { return }
        output.writer.remove(range)
        parts.removeAll { range.contains($0.offset) }
        for index in parts.indices where parts[index].offset > range.lowerBound { parts[index].offset -= range.count }
    }

    /// Starts an item of the array; the item's value must be written next.
    func beginItem() throws {
        guard isCurrent, case .array = state else {
            throw failure(
                "encode(to:) uses a container while a nested value is written, or after it has ended", MemberKey(count))
        }
        count += 1
    }

    /// Starts the value of the single-value container; throws if a value or a container was started before.
    func beginSingle() throws {
        guard isCurrent, case .unwritten = state else {
            throw failure("encode(to:) writes more than one value, or while a nested value is written")
        }
        state = .whole
    }

    /// Returns the encoder of a nested container. Its output is separate, so that the type may write to several
    /// containers in turns.
    func part(_ plan: ValuePlan, _ key: any CodingKey) -> StoredEncoder {
        let encoder = StoredEncoder(part: plan, below: self, key)
        parts.append(Part(offset: output.writer.count, encoder: encoder))
        output.writer.null()
        return encoder
    }

    /// Returns an encoder whose output is discarded.
    func discardedPart(_ key: any CodingKey) -> StoredEncoder { StoredEncoder(part: .plain, below: self, key) }

    /// Records the failure of a call that can't throw, and returns an encoder whose output is discarded.
    func failedPart(_ error: any Error, _ key: any CodingKey) -> StoredEncoder {
        output.failure = output.failure ?? error as? EncodingError
        return discardedPart(key)
    }

    // MARK: - Values

    /// Writes the value of the member, the item or the single value that was begun. If the value can't be written, the
    /// output is as if it hadn't been begun, because a type may catch the error and continue.
    func writeBegun<T: Encodable>(_ value: T, _ plan: ValuePlan, _ key: (any CodingKey)?) throws {
        let (start, blobCount) = (output.writer.count, output.whole.blobs.count)
        do {
            try write(any: value, plan, key)
        } catch {
            remove(from: start, key)
            output.whole.blobs.removeSubrange(blobCount...)
            throw error
        }
    }

    /// The number of arrays and objects that contain the value that was begun.
    var nesting: Int {
        switch state {
        case .object, .array: depth
        case .unwritten, .whole: depth - 1
        }
    }

    /// Removes the output from the beginning of a value on, with the name of the value's member.
    private func remove(from start: Int, _ key: (any CodingKey)?) {
        var start = start
        switch state {
        case .object:
            let name = JSONBElement(JSONBType.text, payload: 0..<(key?.stringValue.utf8.count ?? 0))
            start -= name.shortestByteCount
        case .array: count -= 1
        case .unwritten, .whole: state = .unwritten
        }
        output.writer.remove(start..<output.writer.count)
    }

    /// Writes a value of a type that writes its content itself (`encode(to:)`).
    func write(_ value: some Encodable, _ plan: ValuePlan, _ key: (any CodingKey)?) throws {
        guard depth < Self.maximumDepth else {
            throw failure("values are nested deeper than \(Self.maximumDepth) levels", key)
        }
        let encoder = StoredEncoder(plan, below: self, key)
        defer { output.current = ObjectIdentifier(self) }
        try value.encode(to: encoder)
        try encoder.end()
    }

    /// Ends the value: inserts the containers with a separate output, sorts the members of a dictionary or the items of
    /// a set, and ends the object or array.
    ///
    /// - Throws: the first error of a call that can't throw.
    private func end() throws {
        if let failure = output.failure { throw failure }
        for part in parts.reversed() {
            try part.encoder.end()
            output.writer.replace(part.offset..<(part.offset + 1), by: part.encoder.output.writer.bytes)
        }
        parts = []
        switch state {
        // A type that wrote nothing is stored as an empty object.
        case .unwritten: output.writer.end(JSONBType.object, output.writer.begin(guess: 0))
        case .object(let begun):
            if case .dictionary = plan { output.writer.sortMembers(from: start) }
            output.writer.end(JSONBType.object, begun)
        case .array(let begun):
            if case .set = plan { output.writer.sortItems(from: start) }
            output.writer.end(JSONBType.array, begun)
        case .whole: break
        }
        state = .whole
        output.current = outer.map { ObjectIdentifier($0) }
    }
}

/// The body that is being written, and the state that all its encoders share.
///
/// Values are written at their final position in the body. Only containers that a type may write to in turns (nested
/// ones, and those of `superEncoder`) have a separate output, which is inserted when the enclosing value ends.
final class EncodingOutput {
    var writer: JSONBWriter
    /// The identity of the encoder of the innermost value that is being written; nil if no value is being written.
    var current: ObjectIdentifier?
    /// The blobs in the values that were written, in the output of the whole value.
    var blobs: [Blob] = []
    /// The first error of a call that can't throw, thrown when the object ends; nil if there is none.
    var failure: EncodingError?
    let rules: CodingRules
    private let outer: EncodingOutput?

    init(capacity: Int, _ rules: CodingRules, outer: EncodingOutput? = nil) {
        writer = JSONBWriter(capacity: capacity)
        (self.rules, self.outer) = (rules, outer)
    }

    /// The output into which this one is inserted at last.
    var whole: EncodingOutput { outer?.whole ?? self }
}

/// A value in its stored form, and the blobs that it refers to.
package struct EncodedValue: Sendable {
    /// The value in JSONB.
    package let body: [UInt8]
    /// The blobs, in the order in which they were written.
    package let blobs: [Blob]
}

extension StoredEncoder: BSONCoder {
    package var hasOwnForms: Bool { plan.hasOwnForm }
}
