internal import SealiteQueryLanguage

/// The key paths of the query builder: `address.city`, `likes[0]`; a backslash escapes the next character. A name may be
/// empty, as in SQL++.
enum KeyPathText {
    /// Returns the syntax tree of SQL++ for a key path. If the key path is malformed, the tree makes the translation of
    /// the query fail.
    static func tree(_ keyPath: String) -> Tree.Expression {
        do {
            return .path(try path(keyPath))
        } catch {
            return .literal(.unusable(error.reason))
        }
    }

    private static func path(_ keyPath: String) throws(UnusableValue) -> Tree.Path {
        var rest = keyPath[...]
        guard rest.first != "[" else { throw malformed(keyPath) }
        var path = Tree.Path(takeName(&rest))
        while let mark = rest.popFirst() {
            if mark == ".", rest.first != "[" {
                path.steps.append(.name(takeName(&rest)))
            } else if mark == "[", let end = rest.firstIndex(of: "]"), let index = Int64(rest[..<end]) {
                path.steps.append(.index(index))
                rest = rest[end...].dropFirst()
            } else {
                throw malformed(keyPath)
            }
        }
        return path
    }

    private static func malformed(_ keyPath: String) -> UnusableValue {
        UnusableValue(
            reason: "the key path \"\(keyPath)\" is malformed: brackets must contain an integer and follow a name, as "
                + "in likes[0], and only a dot or another opening bracket may follow a closing bracket")
    }

    /// Removes the name at the beginning of a text, which ends before a dot or an opening bracket without a backslash,
    /// and returns it without the backslashes.
    private static func takeName(_ text: inout Substring) -> String {
        var name = ""
        while let character = text.first, character != ".", character != "[" {
            text.removeFirst()
            if character != "\\" {
                name.append(character)
            } else if let escaped = text.popFirst() {
                name.append(escaped)
            }
        }
        return name
    }
}
