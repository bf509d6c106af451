internal import SealiteQueryLanguage

/// Compares those names in queries that may be written in any case: aliases, names of LET and WITH, names of sources,
/// and members of META().
enum Names {
    static func areSame(_ left: String, _ right: String) -> Bool {
        // The first letters suffice to distinguish most names.
        if let a = left.utf8.first, let b = right.utf8.first, a | b < 0x80, lowercased(a) != lowercased(b) {
            return false
        }
        let (a, b) = (left.utf8.span, right.utf8.span)
        var bits: UInt8 = 0
        if a.count == b.count {
            var isSame = true
            for index in a.indices {
                bits |= a[index] | b[index]
                if lowercased(a[index]) != lowercased(b[index]) { isSame = false }
            }
            if bits < 0x80 || isSame { return isSame }
        } else {
            for index in a.indices { bits |= a[index] }
            for index in b.indices { bits |= b[index] }
            if bits < 0x80 { return false }
        }
        return left.lowercased() == right.lowercased()
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
