internal import SealiteFunctions
internal import SealiteValues

/// The regular expressions that were compiled during an evaluation. The cache is used by one thread at a time.
final class PatternCache {
    /// The maximum number of entries, since each document may contribute a regular expression of its own.
    private static let maximumCount = 32

    private var expressions: [Regex: RegularExpression] = [:]

    /// Returns the compiled form of a regular expression. `name` is the operator that uses it, for error messages.
    ///
    /// - Throws: `MongoError` if it is invalid or too long, or contains a NUL character.
    func expression(of regex: Regex, _ name: String) throws -> RegularExpression {
        if let known = expressions[regex] { return known }
        guard !regex.pattern.utf8.contains(0) else {
            throw MongoError(code: 51109, "\(name) takes no pattern with a NUL character in it.")
        }
        var options: RegularExpression.Options = []
        for letter in regex.options.utf8 {
            switch letter {
            case 0x69: options.insert(.caseInsensitive)
            case 0x6D: options.insert(.multipleLines)
            case 0x73: options.insert(.dotMatchesLineEnds)
            case 0x78: options.insert(.extended)
            default: break
            }
        }
        guard let expression = RegularExpression.compile(Array(regex.pattern.utf8), options) else {
            throw MongoError(code: 51111, "The regular expression of \(name) is invalid, or too long.")
        }
        if expressions.count >= Self.maximumCount { expressions.removeAll() }
        expressions[regex] = expression
        return expression
    }
}
