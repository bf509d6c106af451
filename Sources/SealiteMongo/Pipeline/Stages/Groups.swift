internal import SealiteJSON
internal import SealiteValues

extension StageKind {
    /// The stages `$group` and `$sortByCount`, which combine rows.
    static let groups: [StageKind] = [
        .init("$group") { specification, parser in
            let document = try requireDocument(specification, 15947, "$group takes an object")
            let id = try require(document["_id"], 15955, "$group needs an '_id'.")
            if let members = id.members, members.members.first?.key.hasPrefix("$") != true {
                try require(
                    members.allSatisfy { !$0.value.type.isNumber && $0.value.type != .bool }, 17390,
                    "The '_id' of $group takes no member with a number or a boolean; use $literal for a constant.")
            }
            return GroupStage(
                key: try GroupKey(id, parser.expressions),
                members: try AccumulatedMembers(document.filter { $0.key != "_id" }, parser.expressions))
        },
        .init("$sortByCount") { specification, parser in
            switch specification {
            case .string(let path) where path.hasPrefix("$"): break
            case .document(let document) where document.members.first?.key.hasPrefix("$") == true: break
            default: throw MongoError(code: 40147, "$sortByCount takes a path with '$' or an expression.")
            }
            let counter = try AccumulatedMembers([.init("count", ["$sum": 1])], parser.expressions)
            let group = GroupStage(key: GroupKey(node: try parser.expressions.parse(specification)), members: counter)
            let sort = SortStage(order: try SortOrder(["count": -1]), limit: nil)
            return FunctionStage { input, run in try sort.open(group.open(input, run), run) }
        },
    ]
}

/// The key of a group: an expression.
struct GroupKey: Sendable {
    let node: ExpressionNode
    /// The name of the only member of a key that is an object of one member, which has null for a missing value; other
    /// objects leave a missing one out. Nil for other keys.
    private(set) var onlyMember: String?

    init(node: ExpressionNode) { self.node = node }

    init(_ id: BSON, _ parser: ExpressionParser) throws {
        node = try parser.parse(id)
        guard let members = id.members?.members, members.count == 1, !members[0].key.hasPrefix("$") else { return }
        onlyMember = members[0].key
    }

    /// Returns the key of the evaluation's row.
    func value(_ evaluation: Evaluation) throws -> BSON { completed(try node.value(evaluation) ?? .null) }

    /// Returns the key with null in place of the missing value of its only member.
    func completed(_ key: BSON) -> BSON {
        guard let onlyMember, key.isEmptyDocument else { return key }
        return .document([onlyMember: .null])
    }
}

/// The stage `$group`, which combines the rows with the same key.
struct GroupStage: Stage {
    let key: GroupKey
    let members: AccumulatedMembers

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            let groups = try groups(input, run)
            var place = 0
            return RowCursor {
                guard place < groups.count else { return nil }
                var document: MongoDocument = ["_id": groups[place].id]
                try members.append(groups[place].accumulators, to: &document)
                place += 1
                return Row(document)
            }
        }
    }

    /// Returns the groups in the order of their first rows.
    private func groups(_ input: RowCursor, _ run: PipelineRun) throws -> [FoundGroups.Group] {
        if let visitBodies = input.visitBodies, var groups = BodyGroups(self, run) {
            try visitBodies { try groups.add($0) }
            return try groups.finished()
        }
        var (input, groups) = (input, FoundGroups(members, run))
        while let row = try input.next() {
            groups.evaluation.row = row
            let place = try groups.place(of: try key.value(groups.evaluation))
            for (index, member) in members.members.enumerated() {
                try groups.add(try member.accumulator.value(groups.evaluation), times: 1, to: index, of: place)
            }
        }
        return groups.groups
    }
}

/// The groups of a `$group` stage over the bodies of stored documents by the values at paths, computed without copying
/// the bodies. A key is decoded once for all equal stored bytes. A constant input of an accumulator is added at the
/// end, as often as the group has bodies: for `{$sum: 1}` by one multiplication.
struct BodyGroups {
    /// The input of an accumulator: a constant, or the value at a path of each body.
    private enum Input {
        case constant(BSON?)
        case path(ExpressionPath)
    }

    /// The value of a group's key.
    private enum Key {
        /// The value at a path.
        case value(ExpressionPath)
        /// An object of the values at paths.
        case members([(name: String, path: ExpressionPath)], GroupKey)
    }

    private let key: Key
    private let inputs: [Input]
    private var groups: FoundGroups
    private var places = ByteKeyTable()
    /// The stored values of a key's members, one after the other.
    private var joined: [UInt8] = []
    /// The number of bodies of each group, in the order of the groups.
    private var counts: [Int] = []
    /// A Boolean value that says whether the input of some accumulator isn't constant.
    private let hasPaths: Bool

    /// Creates empty groups for a stage; nil if the stage needs more than the values at paths of bodies, such as the
    /// `_id` or a computed key.
    init?(_ stage: GroupStage, _ run: PipelineRun) {
        guard let key = Self.key(stage.key) else { return nil }
        var inputs: [Input] = []
        for member in stage.members.members {
            guard member.accumulator.isIndependent else { return nil }
            switch member.accumulator.input {
            case .constant(let value): inputs.append(.constant(value))
            case .field(let names):
                guard let path = ExpressionPath(names) else { return nil }
                inputs.append(.path(path))
            default: return nil
            }
        }
        (self.key, self.inputs) = (key, inputs)
        hasPaths = inputs.contains { if case .path = $0 { true } else { false } }
        groups = FoundGroups(stage.members, run)
    }

    private static func key(_ key: GroupKey) -> Key? {
        switch key.node {
        case .field(let names): return ExpressionPath(names).map { .value($0) }
        case .document(let members):
            var paths: [(name: String, path: ExpressionPath)] = []
            for (name, node) in members {
                guard case .field(let names) = node, let path = ExpressionPath(names) else { return nil }
                paths.append((name, path))
            }
            return .members(paths, key)
        default: return nil
        }
    }

    /// Adds a body to the group of its key.
    mutating func add(_ body: borrowing Span<UInt8>) throws {
        guard let root = JSONBElement(root: body) else { return }
        let place = try knownPlace(root, body) ?? newPlace(root, body)
        counts[place] += 1
        guard hasPaths else { return }
        for (index, input) in inputs.enumerated() {
            guard case .path(let path) = input else { continue }
            try groups.add(path.value(in: root, body), times: 1, to: index, of: place)
        }
    }

    /// Adds the constant inputs, and returns the groups in the order of their first bodies. It is called once, after
    /// the last body.
    mutating func finished() throws -> [FoundGroups.Group] {
        for (place, count) in counts.enumerated() {
            for (index, input) in inputs.enumerated() {
                guard case .constant(let value) = input else { continue }
                try groups.add(value, times: count, to: index, of: place)
            }
        }
        return groups.groups
    }

    /// Returns the index of the group of a body by the value at a path; nil if the stored value is new, or the key is
    /// an object. Nothing of `self` is copied, which would count references for each body.
    private func knownPlace(_ root: JSONBElement, _ body: borrowing Span<UInt8>) -> Int? {
        guard case .value(let path) = key, let element = path.element(in: root, body) else { return nil }
        return places.find(element.type, body.extracting(element.start..<element.end))
    }

    /// Returns the index of the group of a body whose group `knownPlace` doesn't know. The group is added if it is new.
    private mutating func newPlace(_ root: JSONBElement, _ body: borrowing Span<UInt8>) throws -> Int {
        switch key {
        case .value(let path): try place(ofValueAt: path, root, body)
        case .members(let members, let key): try place(ofMembers: members, key, root, body)
        }
    }

    /// Returns the index of the group of a body by the new value at a path. The group is added if its key is new.
    private mutating func place(
        ofValueAt path: ExpressionPath, _ root: JSONBElement, _ body: borrowing Span<UInt8>
    ) throws -> Int {
        guard let element = path.element(in: root, body) else {
            return try place(of: path.value(in: root, body) ?? .null)
        }
        let bytes = body.extracting(element.start..<element.end)
        let place = try place(of: BSON(stored: element, in: body) ?? .null)
        places.insert(element.type, bytes, place)
        return place
    }

    /// Returns the index of the group of a body by an object of the values at paths. The group is added if it is new.
    private mutating func place(
        ofMembers members: [(name: String, path: ExpressionPath)], _ key: GroupKey, _ root: JSONBElement,
        _ body: borrowing Span<UInt8>
    ) throws -> Int {
        // The array isn't a part of `self` meanwhile, so that its bytes can be inserted.
        var joined: [UInt8] = []
        swap(&joined, &self.joined)
        defer { swap(&joined, &self.joined) }
        joined.removeAll(keepingCapacity: true)
        for member in members {
            guard let element = member.path.element(in: root, body) else {
                return try place(of: Self.document(members, key, root, body))
            }
            // The type and the length before each value keep apart what would be the same bytes in a row.
            let byteCount = element.end - element.start
            joined.append(element.type)
            joined.append(UInt8(truncatingIfNeeded: byteCount))
            guard byteCount <= ByteKeyTable.keyLimit else {
                return try place(of: Self.document(members, key, root, body))
            }
            for index in element.start..<element.end { joined.append(body[index]) }
        }
        if let known = places.find(JSONBType.object, joined.span) { return known }
        let place = try place(of: Self.document(members, key, root, body))
        places.insert(JSONBType.object, joined.span, place)
        return place
    }

    private static func document(
        _ members: [(name: String, path: ExpressionPath)], _ key: GroupKey, _ root: JSONBElement,
        _ body: borrowing Span<UInt8>
    ) -> BSON {
        var document = MongoDocument()
        for member in members {
            if let value = member.path.value(in: root, body) { document.append(member.name, value) }
        }
        return key.completed(.document(document))
    }

    private mutating func place(of key: BSON) throws -> Int {
        let place = try groups.place(of: key)
        if place == counts.count { counts.append(0) }
        return place
    }
}

/// A path into the bodies of stored documents, by the rules of expressions: on an array, it continues in each of the
/// array's documents.
struct ExpressionPath: Sendable {
    private let names: [String]
    /// The names in UTF-8.
    private let steps: [[UInt8]]

    /// Creates a path of names; nil for a path into the `_id` and for the empty path, the whole document.
    init?(_ names: [String]) {
        guard let first = names.first, first != "_id" else { return nil }
        (self.names, steps) = (names, names.map { Array($0.utf8) })
    }

    /// Returns the element at the path below `root`, if the path leads through objects only; nil if there is none, or
    /// an array is on the path.
    @inline(__always)
    func element(in root: JSONBElement, _ bytes: borrowing Span<UInt8>) -> JSONBElement? {
        var element = root
        for step in steps {
            guard let member = element.member(step.span, in: bytes) else { return nil }
            element = member
        }
        return element
    }

    /// Returns the value at the path below `root`; nil if it is missing.
    func value(in root: JSONBElement, _ bytes: borrowing Span<UInt8>) -> BSON? {
        if let element = element(in: root, bytes) { return BSON(stored: element, in: bytes) }
        return Row.value(of: root, at: names[...], in: bytes)
    }
}

/// The groups that a `$group` stage has found so far, by their keys.
struct FoundGroups {
    /// A group: its key, and the accumulators of the stage's members in their order.
    struct Group {
        let id: BSON
        let accumulators: [any Accumulator]
    }

    /// The groups in the order in which they were found.
    private(set) var groups: [Group] = []
    /// The context of the stage's expressions.
    let evaluation: Evaluation
    private var places: [BSONKey: Int] = [:]
    private let members: AccumulatedMembers
    private let memory: MemoryBudget

    init(_ members: AccumulatedMembers, _ run: PipelineRun) {
        (self.members, memory, evaluation) = (members, run.memory, run.evaluation())
    }

    /// Returns the index of the group with a key; a new group is appended if there is none.
    mutating func place(of id: BSON) throws -> Int {
        let key = BSONKey(id)
        if let known = places[key] { return known }
        try memory.take(2 * id.memoryByteCount + 64 * members.members.count, for: "$group")
        groups.append(Group(id: id, accumulators: try members.make(evaluation)))
        places[key] = groups.count - 1
        return groups.count - 1
    }

    /// Adds a value `count` times to the accumulator with the index `accumulator` of the group with the index `place`.
    func add(_ value: BSON?, times count: Int, to accumulator: Int, of place: Int) throws {
        let accumulator = groups[place].accumulators[accumulator]
        if count > 1, let sum = accumulator as? SumAccumulator { return sum.add(value, times: count) }
        for _ in 0..<count { try memory.take(try accumulator.add(value), for: "$group") }
    }
}

/// A hash table from the stored bytes of keys to the indices of their groups, in bounded memory. Keys that don't fit
/// aren't in the table, so that callers look them up by their values.
struct ByteKeyTable {
    private struct Entry {
        let hash: Int
        let type: UInt8
        /// The range of the key's bytes in `bytes`.
        let range: Range<Int>
        let place: Int
    }

    /// The maximum number of bytes of a key.
    static let keyLimit = 255
    /// The maximum number of bytes of all keys.
    private static let byteLimit = 4 << 20
    /// The maximum number of keys.
    private static let countLimit = 1 << 16

    private var entries: [Entry] = []
    /// The indices of `entries` plus 1, in an open-addressing table by the hash of the key; 0 for an empty bucket. The
    /// number of buckets is a power of two.
    private var buckets = [UInt32](repeating: 0, count: 64)
    private var bytes: [UInt8] = []

    /// Returns the index of the group of a key of the stored type `type`; nil if the table doesn't contain it.
    @inline(__always)
    func find(_ type: UInt8, _ key: borrowing Span<UInt8>) -> Int? {
        guard key.count <= Self.keyLimit else { return nil }
        let hash = Self.hash(type, key)
        var bucket = hash & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let entry = entries[Int(buckets[bucket]) - 1]
            if entry.hash == hash, entry.type == type, isKey(entry.range, key) { return entry.place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    /// Inserts the index of the group of a key that the table doesn't contain; does nothing if the table has no room
    /// for it.
    mutating func insert(_ type: UInt8, _ key: borrowing Span<UInt8>, _ place: Int) {
        guard key.count <= Self.keyLimit, entries.count < Self.countLimit, bytes.count <= Self.byteLimit
        else { return }
        let start = bytes.count
        for index in key.indices { bytes.append(key[index]) }
        entries.append(Entry(hash: Self.hash(type, key), type: type, range: start..<bytes.count, place: place))
        if entries.count * 2 > buckets.count {
            buckets = [UInt32](repeating: 0, count: buckets.count * 2)
            for index in entries.indices { enter(index) }
        } else {
            enter(entries.count - 1)
        }
    }

    private mutating func enter(_ index: Int) {
        var bucket = entries[index].hash & (buckets.count - 1)
        while buckets[bucket] != 0 { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = UInt32(index + 1)
    }

    private func isKey(_ range: Range<Int>, _ key: borrowing Span<UInt8>) -> Bool {
        guard range.count == key.count else { return false }
        for index in key.indices where bytes[range.lowerBound + index] != key[index] { return false }
        return true
    }

    private static func hash(_ type: UInt8, _ key: borrowing Span<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(type)
        unsafe key.withUnsafeBufferPointer { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
