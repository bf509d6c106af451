internal import SealiteQueryLanguage

extension Like {
    /// Returns the text with which every text that matches the pattern begins, under the comparison of bytes
    /// (`collation` nil) or `nocase`, for which A to Z are returned as a to z. Nil if there is no such text or it isn't
    /// known: for another collation, NOT LIKE, ESCAPE and a pattern that isn't a literal. Also nil if a number could
    /// begin with it, because LIKE compares a number by its text.
    func prefix(_ collation: String?) -> String? {
        guard !isNegated, escape == nil, collation == nil || collation == "nocase",
            case .literal(.string(let pattern)) = pattern
        else { return nil }
        var prefix = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if !isEscaped, scalar == "\\" {
                isEscaped = true
                continue
            }
            if !isEscaped, scalar == "%" || scalar == "_" { break }
            isEscaped = false
            // With NOCASE, keys contain A to Z as a to z.
            let isFolded = collation != nil && ("A"..."Z").contains(scalar)
            prefix.append(isFolded ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
        }
        guard let first = prefix.first, !("0"..."9").contains(first), !["-", "+", "."].contains(first) else {
            return nil
        }
        return String(prefix)
    }
}

extension Tree.Expression {
    /// The least text that is greater than all texts whose prefix is the expression, a string literal; nil if there is
    /// none, and for any other expression.
    var prefixEnd: String? {
        guard case .literal(.string(let prefix)) = self else { return nil }
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            // U+D800 to U+DFFF are surrogates and can't be in a text.
            guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            scalars.append(next)
            return String(scalars)
        }
        return nil
    }
}
