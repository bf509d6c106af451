internal import SealiteValues

extension StageKind {
    /// The stage `$unwind`, which produces a row for each item of an array.
    static let unwinding: [StageKind] = [
        .init("$unwind") { specification, _ in
            var options = MongoDocument()
            if case .string = specification {
                options["path"] = specification
            } else if case .document(let given) = specification {
                options = given
            } else {
                throw MongoError(code: 15981, "$unwind takes a string or an object, not \(specification.type.alias).")
            }
            return try UnwindStage(options)
        }
    ]
}

extension Row {
    /// Returns the value that a path reaches through documents only; nil if it is missing.
    func member(at path: [String]) -> BSON? {
        guard let first = path.first, var value = self[first] else { return nil }
        for name in path.dropFirst() {
            guard case .document(let document) = value, let next = document[name] else { return nil }
            value = next
        }
        return value
    }
}

extension MongoDocument {
    /// Sets the value at a path, or removes it if `value` is nil. Setting replaces values on the path that aren't
    /// documents by documents; removing leaves them.
    mutating func set(_ value: BSON?, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            self[name] = value
            return
        }
        var nested = MongoDocument()
        if case .document(let document) = self[name] { nested = document }
        guard value != nil || !nested.isEmpty else { return }
        nested.set(value, at: path.dropFirst())
        self[name] = .document(nested)
    }
}
