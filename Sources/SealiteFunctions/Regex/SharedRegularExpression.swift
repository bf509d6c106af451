internal import Synchronization

/// A compiled regular expression that several threads may use, one at a time.
package final class SharedRegularExpression: Sendable {
    private let expression: Mutex<RegularExpression>

    /// Creates a regular expression in PCRE's syntax; nil if it is invalid or too long.
    package init?(_ pattern: String, _ options: RegularExpression.Options = []) {
        guard let expression = RegularExpression.compile(Array(pattern.utf8), options) else { return nil }
        self.expression = Mutex(expression)
    }

    /// Returns a Boolean value that says whether there is a match in a string; nil if matching takes too long.
    package func hasMatch(in text: String) -> Bool? {
        let text = Array(text.utf8)
        return expression.withLock { $0.hasMatch(in: text) }
    }
}
