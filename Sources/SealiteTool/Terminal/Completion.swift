/// The possible completions of the word before the cursor.
struct Completion: Equatable {
    /// The typed part of the word.
    let typed: String
    /// The complete words, in order.
    let candidates: [String]

    /// The maximum number of candidates in a list.
    static let listLimit = 200

    /// The change that the Tab key makes.
    enum Step: Equatable {
        case nothing
        /// Replaces the word by another one.
        case replace(with: String)
        /// Shows all candidates.
        case list
    }

    init(typed: String, candidates: some Sequence<String>) {
        self.typed = typed
        self.candidates = Set(candidates).sorted()
    }

    /// The next change: the only candidate, the common start of all, or a list of them.
    var step: Step {
        guard let first = candidates.first else { return .nothing }
        guard candidates.count > 1 else {
            // After a parenthesis or a dot no space is added, since more text follows directly.
            return .replace(with: first.hasSuffix("(") || first.hasSuffix(".") ? first : first + " ")
        }
        let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        return common.hasPrefix(typed) && common != typed ? .replace(with: common) : .list
    }

    /// Returns the lines of a list for a terminal of the given width.
    func list(columns width: Int) -> String {
        let shown = candidates.prefix(Self.listLimit).map(\.withoutControls)
        let widest = (shown.map(\.count).max() ?? 0) + 2
        let perLine = max(1, width / widest)
        var text = ""
        for start in stride(from: 0, to: shown.count, by: perLine) {
            let line = shown[start..<min(start + perLine, shown.count)].map { $0.padded(to: widest) }.joined()
            text += line.trimmingSuffix(while: " ") + "\n"
        }
        let left = candidates.count - shown.count
        return left > 0 ? text + "and \(left) more\n" : text
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }

    fileprivate func trimmingSuffix(while character: Character) -> Substring {
        var rest = self[...]
        while rest.last == character { rest.removeLast() }
        return rest
    }
}
