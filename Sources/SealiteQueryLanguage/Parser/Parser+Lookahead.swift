/// The parser's decisions for which the current token isn't sufficient, because most keywords may also be names.
extension Parser {
    /// A Boolean value that says whether the current token begins a query: SELECT or WITH. False for a parenthesis,
    /// which may begin a query or an expression.
    var startsQuery: Bool {
        current.keyword == .select || startsWith
    }

    /// A Boolean value that says whether the current token begins `WITH name AS` or `WITH RECURSIVE name`.
    var startsWith: Bool {
        guard current.keyword == .with, token(1).isName else { return false }
        return token(2).keyword == .as || (token(1).keyword == .recursive && token(2).isName)
    }

    /// A Boolean value that says whether the current token continues the query before it: with a set operation, ORDER
    /// BY, LIMIT or OFFSET.
    var continuesQuery: Bool {
        switch current.keyword {
        case .order, .limit, .offset: true
        default: startsCombination
        }
    }

    /// A Boolean value that says whether the current token begins a set operation, such as UNION SELECT.
    var startsCombination: Bool {
        switch current.keyword {
        case .union, .intersect, .except:
            token(1).keyword == .select || token(1).keyword == .all || token(1).kind == .leftParenthesis
        default: false
        }
    }

    /// A Boolean value that says whether the current token is an alias without AS, rather than the first word of a
    /// clause.
    var startsBareAlias: Bool {
        guard current.isName else { return false }
        switch current.keyword {
        case .let: return !token(1).isName
        case .union, .intersect, .except: return !startsCombination
        case .set, .unset, .returning: return !isInsideChange
        default: return true
        }
    }

    /// A Boolean value that says whether an expression follows the current token, a word such as VALUE: it does in
    /// `VALUE x`, but in `value + 1` the word is a property.
    var startsExpressionBehindWord: Bool {
        let next = token(1)
        switch next.kind {
        case .quotedName, .integer, .decimal, .string, .parameter, .leftBrace, .leftParenthesis: return true
        case .leftBracket: return !isIndex(at: 1)
        case .word: break
        default: return false
        }
        switch next.keyword {
        case .case, .any, .every, .null, .missing, .true, .false: return true
        case .not: return ![.like, .between, .in, .null].contains(token(2).keyword)
        case let keyword?: return !keyword.isReserved && !(keyword == .let && token(2).isName)
        case nil: return true
        }
    }

    /// Returns whether an index, a slice or a star, rather than an array literal, begins at a distance from the current
    /// token.
    private func isIndex(at distance: Int) -> Bool {
        var distance = distance + 1
        if token(distance).kind == .colon || token(distance).kind == .star { return true }
        if token(distance).kind == .minus { distance += 1 }
        guard token(distance).kind == .integer else { return false }
        return token(distance + 1).kind == .rightBracket || token(distance + 1).kind == .colon
    }

    /// A Boolean value that says whether the current token, the word ARRAY or FIRST, begins `ARRAY a FOR …`, rather than
    /// being the name of a property.
    ///
    /// FOR must precede any token that ends the element. The lookahead is done once for each such word; for nested ones
    /// it is repeated, at most as often as the nesting limit allows.
    var startsComprehension: Bool {
        guard startsExpressionBehindWord else { return false }
        var depth = 0
        for token in tokens[(index + 1)...] {
            switch token.kind {
            case .leftParenthesis, .leftBracket, .leftBrace: depth += 1
            case .rightParenthesis, .rightBracket, .rightBrace:
                depth -= 1
                if depth < 0 { return false }
            case .comma where depth == 0: return false
            case .endOfText, .invalid, .semicolon: return false
            case .word where depth == 0:
                if token.keyword == .for { return true }
                if token.keyword == .from || token.keyword == .select { return false }
            default: break
            }
        }
        return false
    }

    /// A Boolean value that says whether the current token opens parentheses around the whole expression, rather than
    /// around its first operand.
    var startsWholeInParentheses: Bool {
        guard current.kind == .leftParenthesis else { return false }
        var depth = 0
        for (offset, token) in tokens[index...].enumerated() {
            if token.kind == .leftParenthesis { depth += 1 }
            if token.kind == .rightParenthesis { depth -= 1 }
            if depth == 0 { return !self.token(offset + 1).continuesExpression }
        }
        return false
    }
}

extension Token {
    /// A Boolean value that says whether an expression goes on with this token after an operand.
    fileprivate var continuesExpression: Bool {
        switch kind {
        case .dot, .leftBracket, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .plus, .minus,
            .star,
            .slash, .percent, .bars, .bitOperator:
            return true
        default:
            return [.and, .or, .is, .in, .like, .between, .not, .collate].contains(keyword)
        }
    }
}
