internal import SealiteJSON
internal import SealiteValues

/// The groups of a `$group` stage over the bodies of stored documents by the value at a path, computed without copying
/// the bodies. A key is decoded once for all equal stored bytes. A constant input of an accumulator is added at the
/// end, as often as the group has bodies: for `{$sum: 1}` by one multiplication.
struct BodyGroups {
    /// The input of an accumulator: a constant, or the value at a path of each body.
    private enum Input {
        case constant(BSON?)
        case path(BodyPath)
    }

    private let path: BodyPath
    private let inputs: [Input]
    private var groups: FoundGroups
    private var places = ByteKeyTable()
    /// The number of bodies of each group, in the order of the groups.
    private var counts: [Int] = []
    /// A Boolean value that says whether the input of some accumulator isn't constant.
    private let hasPaths: Bool

    /// Creates empty groups for a stage; nil if the stage needs more than the values at paths of bodies, such as the
    /// `_id` or a computed key.
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

    /// Adds a body to the group of its key.
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

    /// Returns the index of the group of a body, which is added if it is new.
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
