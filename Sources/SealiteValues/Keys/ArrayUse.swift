internal import SealiteJSON

/// The way in which the paths of an index lead through the arrays of a document.
package enum ArrayUse: Sendable {
    /// At most one path leads through arrays.
    case separate
    /// Several paths lead through an array, and of any two of them, one leads only through arrays of the other: for
    /// example `a.b` and `a.c` through the array `a`.
    case shared
    /// Two paths each lead through an array that the other doesn't: for example `a` and `b`, both arrays.
    case parallel

    /// Creates `shared` or `parallel` by comparing the arrays on paths that each lead through at least one array.
    init(_ paths: [FilterPath], _ root: JSONBElement, _ body: borrowing Span<UInt8>) {
        var prefixes: [Set<[[UInt8]]>] = []
        for path in paths { prefixes.append(path.arrays(in: root, body)) }
        self = .shared
        for (number, left) in prefixes.enumerated() {
            for right in prefixes[..<number] where !left.isSubset(of: right) && !right.isSubset(of: left) {
                self = .parallel
            }
        }
    }
}

extension FilterPath {
    /// Returns the paths, as names, to the arrays through which the path leads, or at which it ends.
    fileprivate func arrays(in root: JSONBElement, _ body: borrowing Span<UInt8>) -> Set<[[UInt8]]> {
        var found: Set<[[UInt8]]> = []
        for length in 1...max(count, 1) {
            let prefix = prefix(length)
            let walk = prefix.visit(root, in: body) { leaf in leaf.isWholeArray }
            if walk.isEnded { found.insert(prefix.bytes) }
        }
        return found
    }
}
