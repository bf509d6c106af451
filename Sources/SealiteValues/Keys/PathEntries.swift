internal import SealiteJSON

/// The entries of a document in an index over paths: the keys of the values at the paths
/// (Documentation/DocumentFormat.md §3.6).
package struct PathEntries {
    /// The maximum number of entries of a document; a document with more, or a damaged one, has one empty entry.
    package static let limit = 100_000

    /// The keys: for one path a key for each value, in the order of the document; for several paths the concatenated
    /// keys of each combination, truncated at 960 bytes. A missing value has the key of null. There are no keys if the
    /// index is sparse and the document has a value at none of the paths, and one empty key if there would be more than
    /// 100,000 or the document is damaged.
    package private(set) var keys: [[UInt8]]
    private var pathsThroughArrays: [FilterPath] = []

    /// Creates the entries of a document in an index over `paths`.
    ///
    /// - Parameters:
    ///   - paths: the paths, at least one.
    ///   - isSparse: true to create no entries if the document has no value at any of the paths.
    ///   - id: the document's ID.
    ///   - body: the document's body.
    package init(_ paths: [FilterPath], isSparse: Bool, id: String, body: borrowing Span<UInt8>) {
        keys = [[]]
        guard let root = JSONBElement(root: body) else { return }
        var hasValue = false
        var combined: [[UInt8]] = [[]]
        for path in paths {
            var found: [[UInt8]] = []
            var isDamaged = false
            if path.isID, path.count == 1 {
                found.append(OrderKey.bytes(of: DocumentKey.value(of: id)))
                hasValue = true
            } else {
                let walk = path.visit(root, in: body) { leaf in
                    if leaf.node != nil { hasValue = true }
                    let key = leaf.node.map { Self.key($0, body) } ?? OrderKey.bytes(of: .null)
                    guard found.count <= Self.limit, let key else {
                        isDamaged = true
                        return true
                    }
                    found.append(key)
                    return false
                }
                if walk.metArray { pathsThroughArrays.append(path) }
            }
            // A path without any leaf has the key of null, which the combinations with the other paths' keys require.
            if found.isEmpty { found.append(OrderKey.bytes(of: .null)) }
            guard !isDamaged, found.count * combined.count <= Self.limit else { return }
            combined = combined.flatMap { left in found.map { Array((left + $0).prefix(OrderKey.maximumByteCount)) } }
        }
        keys = isSparse && !hasValue ? [] : combined
    }

    /// Returns the way in which the paths lead through arrays of the body from which the entries were created.
    package func arrayUse(in body: borrowing Span<UInt8>) -> ArrayUse {
        guard pathsThroughArrays.count > 1, let root = JSONBElement(root: body) else { return .separate }
        return ArrayUse(pathsThroughArrays, root, body)
    }

    private static func key(_ leaf: JSONBElement?, _ body: borrowing Span<UInt8>) -> [UInt8]? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: OrderKey.maximumByteCount) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            let isSound = OrderKey.append(leaf, in: body, to: &output)
            let count = unsafe output.finalize(for: buffer)
            return unsafe isSound ? Array(UnsafeBufferPointer(rebasing: buffer[..<count])) : nil
        }
    }
}

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
