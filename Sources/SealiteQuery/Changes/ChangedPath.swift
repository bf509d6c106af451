internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteQueryLanguage

/// The path to a property of documents that UPDATE sets or removes.
struct ChangedPath: Sendable {
    /// The names and indexes from the document to the property: at least one, a name first.
    private let steps: [PathStep]

    init(_ steps: [PathStep]) {
        assert(Tree.Path(steps: steps) != nil, "a path begins with a name")
        self.steps = steps
    }

    /// The path in SQL++, without the name of the collection.
    var text: String { Self.text(steps[...]) }

    private static func text(_ steps: ArraySlice<PathStep>) -> String {
        guard case .name(let root)? = steps.first else { return "the document" }
        return "\(Tree.Expression.path(Tree.Path(root, Array(steps.dropFirst()))))"
    }

    // MARK: - Changes

    /// Returns a body with the property set to a JSONB element. Missing objects on the path are created.
    ///
    /// - Throws: `invalidParameter` if a name leads into a value that isn't an object, or an index into a value that is
    ///   missing or isn't an array, or past an array's end, and if the body would be nested too deeply or is damaged.
    func set(_ value: [UInt8], in body: [UInt8]) throws(DatabaseError) -> [UInt8] {
        let place = place(in: body)
        if let reason = place.obstacle { throw DatabaseError(.invalidParameter, "\(text) can't be set: \(reason)") }
        assert(place.found.count + place.missing.count == steps.count, "each step leads to something or to nothing")
        var value = value
        for name in place.missing.reversed() {
            guard let object = JSONBEdit.set(value, at: [.member(name)], in: [JSONBType.object]) else { throw depth }
            value = object
        }
        guard let changed = JSONBEdit.set(value, at: place.found, in: body) else { throw depth }
        return changed
    }

    /// Returns a body without the property, or the same body if it doesn't have the property.
    func removed(from body: [UInt8]) -> [UInt8] {
        let place = place(in: body)
        guard place.obstacle == nil, place.missing.isEmpty else { return body }
        assert(place.found.count == steps.count, "each step leads to something")
        return JSONBEdit.remove(at: place.found, in: body) ?? body
    }

    private var depth: DatabaseError {
        DatabaseError(
            .invalidParameter,
            "\(text) can't be set: the document would be nested too deeply, in more than \(JSONB.maximumDepth) levels, or is damaged there"
        )
    }

    // MARK: - Positions

    /// The position to which the path leads in the body of one document.
    private struct Target {
        /// The steps to the property, or to the first object on the path that is missing.
        var found: [JSONBStep] = []
        /// The names that follow the steps of `found`, in objects that are missing and have to be created.
        var missing: [String] = []
        /// The reason why the path can't be followed; nil if it can.
        var obstacle: String?
    }

    private func place(in body: [UInt8]) -> Target {
        var place = Target()
        var container = JSONBElement(root: body.span)
        guard container != nil else { return Target(obstacle: "the document is damaged") }
        for (number, step) in steps.enumerated() {
            guard let parent = container else {
                // From this step on, everything is missing. Missing objects are created; missing arrays aren't.
                guard case .name(let name) = step else {
                    place.obstacle = "\(Self.text(steps[..<number])) is missing, and SET creates objects, not arrays"
                    return place
                }
                place.missing.append(name)
                continue
            }
            guard let next = Self.step(step, into: parent, of: body) else {
                let path = Self.text(steps[..<number])
                switch step {
                case .index(let index) where parent.type == JSONBType.array:
                    place.obstacle = "\(path) has no element \(index)"
                case .index: place.obstacle = "\(path) isn't an array"
                case .name, .slice, .star: place.obstacle = "\(path) isn't an object"
                }
                return place
            }
            place.found.append(next)
            container = JSONBEdit.find(place.found, in: body)
        }
        return place
    }

    /// Returns a step of the path as a step into a JSONB object or array; nil if the step isn't possible. The member
    /// that it leads to may be missing.
    private static func step(_ step: PathStep, into parent: JSONBElement, of body: [UInt8]) -> JSONBStep? {
        switch step {
        case .name(let name): return parent.type == JSONBType.object ? .member(name) : nil
        case .index(let index):
            guard parent.type == JSONBType.array else { return nil }
            let count = itemCount(parent, of: body)
            let position = index < 0 ? Int64(count) + index : index
            return position >= 0 && position < count ? .item(Int(position)) : nil
        case .slice, .star: return nil
        }
    }

    private static func itemCount(_ array: JSONBElement, of body: [UInt8]) -> Int {
        var (count, offset) = (0, array.start)
        while offset < array.end, let item = JSONBElement(body.span, at: offset, limit: array.end) {
            count += 1
            offset = item.end
        }
        return count
    }
}
