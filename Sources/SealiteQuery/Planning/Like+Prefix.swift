internal import SealiteQueryLanguage

extension Like {
    /// The beginning that all texts have which are like the pattern, under a collation that compares byte by byte: nil where there is none, and where a number,
    /// which is compared by its text, may have it too.
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
            // As the keys of the collation have it.
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
    /// The least text behind all texts that begin with the one that the expression is; nil where there is none.
    var prefixEnd: String? {
        guard case .literal(.string(let prefix)) = self else { return nil }
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            // No scalar is a surrogate.
            guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            scalars.append(next)
            return String(scalars)
        }
        return nil
    }
}
