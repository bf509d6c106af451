internal import SealiteQueryLanguage

/// The key paths of the query builder: `address.city`, `likes[0]`; a backslash escapes the next character.
enum KeyPath {
    /// Returns the SQL++ text for a key path.
    static func text(_ keyPath: String) -> String { "\(tree(keyPath))" }

    /// Returns the syntax tree of SQL++ for a key path.
    static func tree(_ keyPath: String) -> Tree.Expression {
        var names: [(String, [PathStep])] = []
        var (name, indexes, isIndex) = ("", [PathStep](), false)
        var digits = ""
        var isEscaped = false
        for character in keyPath {
            if isEscaped {
                name.append(character)
                isEscaped = false
                continue
            }
            switch character {
            case "\\": isEscaped = true
            case "." where !isIndex:
                names.append((name, indexes))
                (name, indexes) = ("", [])
            case "[" where !isIndex: (isIndex, digits) = (true, "")
            case "]" where isIndex:
                indexes.append(.index(Int64(digits) ?? 0))
                isIndex = false
            default: if isIndex { digits.append(character) } else { name.append(character) }
            }
        }
        names.append((name, indexes))
        let steps = names.dropFirst().flatMap { [PathStep.name($0.0)] + $0.1 }
        return .path(Tree.Path(names[0].0, names[0].1 + steps))
    }
}
