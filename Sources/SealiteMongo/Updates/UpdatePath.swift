/// A path of an update, such as `a.$[item].b`.
struct UpdatePath: Sendable {
    /// A step of a path of an update.
    enum Step: Sendable, Hashable {
        /// A member of an object, or an index of an array.
        case name(String)
        /// The item at the index at which the filter found its value, `$`.
        case position
        /// Each item that an array filter matches, `$[name]`; without a name each item.
        case items(String)
    }

    let steps: [Step]
    let text: String

    /// The maximum number of steps of a path.
    static let maximumCount = 200

    init(_ text: String) throws(MongoError) {
        guard !text.isEmpty else { throw MongoError(code: 56, "The path of an update is empty.") }
        self.text = text
        let names = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard names.count <= Self.maximumCount else {
            throw .badValue("An update path has more than \(Self.maximumCount) field names.")
        }
        var steps: [Step] = []
        for name in names { steps.append(try Self.step(String(Substring(name)), of: text)) }
        guard case .name = steps[0] else {
            throw .badValue("The path '\(text)' can't begin with an array element ('$' or '$[…]').")
        }
        guard steps.count(where: { $0 == .position }) <= 1 else {
            throw .badValue("The path '\(text)' has '$' more than once.")
        }
        self.steps = steps
    }

    private static func step(_ name: String, of path: String) throws(MongoError) -> Step {
        guard !name.isEmpty else {
            throw MongoError(code: 56, "The path '\(path)' of an update has an empty name.")
        }
        if name == "$" { return .position }
        guard name.hasPrefix("$[") else { return .name(name) }
        guard name.hasSuffix("]") else { throw .badValue("The path '\(path)' has a '$[' without its ']'.") }
        return .items(String(name.dropFirst(2).dropLast()))
    }

    /// The path's names; nil if a step is `$` or `$[…]`.
    var names: [String]? {
        var names: [String] = []
        for step in steps {
            guard case .name(let name) = step else { return nil }
            names.append(name)
        }
        return names
    }
}

extension String {
    /// The array index that the text denotes: at most nine digits without a leading 0; nil for other texts.
    var arrayIndex: Int? {
        guard utf8.count <= 9, utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        return utf8.count > 1 && utf8.first == UInt8(ascii: "0") ? nil : Int(self)
    }
}
