internal import SealiteJSON
internal import SealiteValues

/// Groups the bodies of stored documents by the value at a path, without copying them. A key is decoded once for all
/// equal stored bytes, and constants are added once per group.
struct BodyGroups {
    /// The input of an accumulator.
    private enum Input {
        case constant(BSON?)
        case path(BodyPath)
    }

    private let path: BodyPath
    private let inputs: [Input]
    private var groups: FoundGroups
    private var places = BytePlaces()
    /// The number of bodies of each group.
    private var counts: [Int] = []
    /// A Boolean value that says whether some input isn't constant.
    private let hasPaths: Bool

    /// Creates the groups of a stage; nil if the stage needs whole documents or their `_id`.
    init?(_ stage: GroupStage, _ run: PipelineRun) {
        guard case .field(let names) = stage.key, let path = BodyPath(names) else { return nil }
        var inputs: [Input] = []
        for member in stage.members.members {
            guard member.accumulator.isIndependent else { return nil }
            switch member.accumulator.input {
            case .constant(let value): inputs.append(.constant(value))
            case .field(let names):
                guard let path = BodyPath(names) else { return nil }
                inputs.append(.path(path))
            default: return nil
            }
        }
        (self.path, self.inputs) = (path, inputs)
        hasPaths = inputs.contains { if case .path = $0 { true } else { false } }
        groups = FoundGroups(stage.members, run)
    }

    /// Adds a body.
    mutating func add(_ body: borrowing Span<UInt8>) throws {
        guard let root = JSONBElement(root: body) else { return }
        let place = try place(of: root, in: body)
        counts[place] += 1
        guard hasPaths else { return }
        for (index, input) in inputs.enumerated() {
            guard case .path(let path) = input else { continue }
            try groups.add(path.value(in: root, body), times: 1, to: index, of: place)
        }
    }

    /// Returns the groups in the order of their first bodies.
    mutating func finished() throws -> [FoundGroups.Group] {
        for (place, count) in counts.enumerated() {
            for (index, input) in inputs.enumerated() {
                guard case .constant(let value) = input else { continue }
                try groups.add(value, times: count, to: index, of: place)
            }
        }
        return groups.groups
    }

    /// Returns the index of the group of a body.
    private mutating func place(of root: JSONBElement, in body: borrowing Span<UInt8>) throws -> Int {
        guard let element = path.element(in: root, body) else { return try place(of: path.value(in: root, body)) }
        if let known = places.find(element, in: body) { return known }
        let place = try place(of: BSON(stored: element, in: body))
        places.insert(element, in: body, place)
        return place
    }

    private mutating func place(of key: BSON?) throws -> Int {
        let place = try groups.place(of: key ?? .null)
        if place == counts.count { counts.append(0) }
        return place
    }
}

/// A path into the bodies of stored documents, by the rules of expressions.
struct BodyPath: Sendable {
    private let names: [String]
    /// The names in UTF-8.
    private let steps: [[UInt8]]

    /// Creates a path of names; nil if it leads to the `_id` or to the whole document.
    init?(_ names: [String]) {
        guard let first = names.first, first != "_id" else { return nil }
        (self.names, steps) = (names, names.map { Array($0.utf8) })
    }

    /// Returns the element that the path reaches through objects only; nil if there is none, or an array is on the
    /// path.
    @inline(__always)
    func element(in root: JSONBElement, _ bytes: borrowing Span<UInt8>) -> JSONBElement? {
        var element = root
        for step in steps {
            guard let member = element.member(step.span, in: bytes) else { return nil }
            element = member
        }
        return element
    }

    /// Returns the value; nil if it is missing.
    func value(in root: JSONBElement, _ bytes: borrowing Span<UInt8>) -> BSON? {
        Row.value(of: root, at: names[...], in: bytes)
    }
}

/// A hash table from the stored bytes of keys to the indices of groups, in bounded memory: keys that don't fit are
/// looked up by their values.
struct BytePlaces {
    private struct Entry {
        let hash: Int
        let type: UInt8
        /// The range of the key in `bytes`.
        let range: Range<Int>
        let place: Int
    }

    /// The maximum number of bytes of a key.
    private static let keyLimit = 256
    /// The maximum number of bytes of all keys.
    private static let byteLimit = 4 << 20
    /// The maximum number of keys.
    private static let countLimit = 1 << 16

    private var entries: [Entry] = []
    /// The indices of entries plus 1 by hash, 0 for an empty bucket; the count is a power of two.
    private var buckets = [UInt32](repeating: 0, count: 64)
    private var bytes: [UInt8] = []

    /// Returns the index of the group of a stored key; nil if the table doesn't contain it.
    @inline(__always)
    func find(_ key: JSONBElement, in body: borrowing Span<UInt8>) -> Int? {
        guard key.end - key.start <= Self.keyLimit else { return nil }
        let hash = Self.hash(key, body)
        var bucket = hash & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let entry = entries[Int(buckets[bucket]) - 1]
            if entry.hash == hash, entry.type == key.type, isKey(entry.range, key, body) { return entry.place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    /// Inserts the index of the group of a key that the table doesn't contain, if there is room.
    mutating func insert(_ key: JSONBElement, in body: borrowing Span<UInt8>, _ place: Int) {
        guard key.end - key.start <= Self.keyLimit, entries.count < Self.countLimit, bytes.count <= Self.byteLimit
        else { return }
        let start = bytes.count
        for index in key.start..<key.end { bytes.append(body[index]) }
        entries.append(
            Entry(hash: Self.hash(key, body), type: key.type, range: start..<bytes.count, place: place))
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

    private func isKey(_ range: Range<Int>, _ key: JSONBElement, _ body: borrowing Span<UInt8>) -> Bool {
        range.count == key.end - key.start && key.hasPayload(bytes.span.extracting(range), in: body)
    }

    private static func hash(_ key: JSONBElement, _ body: borrowing Span<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(key.type)
        let payload = body.extracting(key.start..<key.end)
        unsafe payload.withUnsafeBufferPointer { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
