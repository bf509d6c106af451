internal import SealiteJSON
internal import SealiteValues

/// Groups the bodies of stored documents by the value at a path, without copying them. A key is decoded once for all
/// equal stored bytes. A constant input of an accumulator is added at the end, as often as the group has bodies: for
/// `{$sum: 1}` by one multiplication.
struct BodyGroups {
    /// The input of an accumulator.
    private enum Input {
        case constant(BSON?)
        case path(BodyPath)
    }

    private let path: BodyPath
    private let inputs: [Input]
    private var groups: FoundGroups
    private var places = ByteKeyTable()
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
