internal import SealiteFunctions
internal import Synchronization

/// Checks the SQL expressions that a file brings along, those in the definitions of indexes and in indexes that other
/// programs added, before a connection to the file runs them.
///
/// They can't read tables, except elements of values, aren't recursive, and call no functions whose results may be far
/// larger than their arguments or that may take far longer than reading these.
enum SQLExpressions {
    /// The greatest length of an expression in bytes; SQLite's own limit on statements isn't greater.
    private static let byteLimit = 1_000_000

    /// The results of the last checks, because the definition of an index is read again and again.
    private static let known = Mutex<[String: Bool]>([:])
    private static let knownLimit = 1_000

    /// Returns whether expressions over these columns are deterministic enough and cheap enough for an index.
    static func areAllowed(_ expressions: [String], over columns: [String]) -> Bool {
        expressions.allSatisfy { expression in
            let key = "\(columns.joined(separator: ","))\u{0}\(expression)"
            if let result = known.withLock({ $0[key] }) { return result }
            let result = isAllowed(expression, over: columns)
            known.withLock { known in
                if known.count >= knownLimit { known.removeAll() }
                known[key] = result
            }
            return result
        }
    }

    private static func isAllowed(_ expression: String, over columns: [String]) -> Bool {
        guard expression.utf8.count <= byteLimit, isBalanced(expression) else { return false }
        let list = columns.map { "x'' AS \($0)" }.joined(separator: ", ")
        return ForeignSQL.compiles(["SELECT (\(expression)) FROM (SELECT \(list))"])
    }

    /// Returns whether the expressions of an index over a table of the format, both given by their statements, are
    /// cheap enough.
    static func isAllowed(index: String, on table: String) -> Bool {
        index.utf8.count <= byteLimit && ForeignSQL.compiles([table, index])
    }

    /// Returns whether an expression has no comment and no parameter, and every parenthesis and quotation mark in it is
    /// closed in it, so that it can't end the expression in which it is placed.
    private static func isBalanced(_ expression: String) -> Bool {
        var (depth, previous, quote) = (0, UInt8(0), UInt8?.none)
        for byte in expression.utf8 {
            if let open = quote {
                // A doubled quotation mark ends a text and begins another one, which makes no difference here.
                if byte == open { quote = nil }
                previous = 0
                continue
            }
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
            case UInt8(ascii: "-") where previous == byte: return false
            case UInt8(ascii: "*") where previous == UInt8(ascii: "/"): return false
            default: if refused.contains(byte) { return false }
            }
            guard depth >= 0 else { return false }
            previous = byte
        }
        return depth == 0 && quote == nil
    }

    /// The bytes that end a statement, begin a parameter, or quote in another way than SQL does.
    private static let refused = Set("\0;[`?:@$#".utf8)

    /// The error for a stored definition with an expression that isn't allowed.
    static var refusal: DatabaseError {
        DatabaseError(
            .corruptData, "the stored definition of an index has an SQL expression that an index can't have")
    }
}
