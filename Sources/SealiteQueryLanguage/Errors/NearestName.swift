/// Suggests a known name for a misspelled one.
package enum NearestName {
    /// Returns the known name with the smallest edit distance from a misspelled one, ignoring case; nil if none is
    /// close: at most one edit for a name of up to three bytes, two for up to eight, otherwise three. Also nil if the
    /// misspelled name is empty or longer than 40 bytes.
    package static func to(_ name: String, among known: some Sequence<String>) -> String? {
        let bytes = Array(name.uppercased().utf8)
        // No known name is longer than 40 bytes, and the cost of a comparison is quadratic.
        guard !bytes.isEmpty, bytes.count <= 40 else { return nil }
        let limit = bytes.count <= 3 ? 1 : bytes.count <= 8 ? 2 : 3
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = distance(bytes, Array(candidate.uppercased().utf8))
            if distance <= limit, distance < best?.distance ?? .max, distance < bytes.count {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// Returns the edit distance: the number of insertions, deletions, replacements and transpositions that turn one
    /// name into the other; `Int.max` if their lengths differ by more than three.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left.count - right.count > 3 || right.count - left.count > 3 { return .max }
        var beforeLast = [Int]()
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(current[column] + 1, last[column + 1] + 1, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last.last ?? 0
    }
}
