internal import SealiteFunctions
internal import SealiteValues

/// A compiled regular expression of a filter.
struct FilterPattern: Sendable {
    /// The regular expression as a value, for comparison with stored regular expressions.
    let regex: Regex
    private let expression: SharedRegularExpression

    /// Compiles a regular expression; throws `MongoError` if the pattern or its options are invalid.
    init(_ regex: Regex) throws(MongoError) {
        try require(
            !regex.pattern.utf8.contains(0), .badValue("A regular expression has a NUL character."))
        var options: RegularExpression.Options = []
        for letter in regex.options.utf8 {
            let option = try require(
                RegularExpression.Options(letter: letter), 51108,
                "A regular expression has an option that isn't one of i, m, s, x and u.")
            options.insert(option)
        }
        let expression = try require(
            SharedRegularExpression(regex.pattern, options), 51091, "A regular expression is invalid, or too long.")
        (self.regex, self.expression) = (regex, expression)
    }

    /// Returns a Boolean value that says whether a value is a string in which the pattern matches, or is the same
    /// regular expression.
    func holds<Node: FilterNode>(for node: Node, in bytes: borrowing Span<UInt8>) throws(MongoError) -> Bool {
        switch node.type(in: bytes) {
        case .string, .symbol:
            switch node.value(in: bytes) {
            case .string(let text), .symbol(let text): return try isFound(in: text)
            default: return false
            }
        case .regex: return node.value(in: bytes) == .regex(regex)
        default: return false
        }
    }

    /// Returns a Boolean value that says whether the pattern matches in a text; throws `MongoError` if that takes too
    /// many steps.
    func isFound(in text: String) throws(MongoError) -> Bool {
        return try require(
            expression.hasMatch(in: text), 51156,
            "Matching a regular expression takes more steps or memory than allowed.")
    }
}

extension RegularExpression.Options {
    /// Creates the option of a letter in the options of a regular expression; empty for `u`, which has no effect, and
    /// nil for a letter that isn't an option.
    init?(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "i"): self = .caseInsensitive
        case UInt8(ascii: "m"): self = .multipleLines
        case UInt8(ascii: "s"): self = .dotMatchesLineEnds
        case UInt8(ascii: "x"): self = .extended
        case UInt8(ascii: "u"): self = []
        default: return nil
        }
    }
}
