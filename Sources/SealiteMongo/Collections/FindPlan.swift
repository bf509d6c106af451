internal import SealiteDatabase
internal import SealiteValues

/// The plan of a `find`: how the documents that fulfil a filter are found and sorted.
public struct FindPlan: Sendable, Hashable, CustomStringConvertible {
    /// The access path to the documents.
    public enum Access: Sendable, Hashable {
        /// Every document is read.
        case scan
        /// Documents are looked up by `_id`. The associated value is the number of `_id`s.
        case ids(Int)
        /// Ranges of an index are read, and the documents found are tested with the filter. The associated values are
        /// the index's name and the number of ranges, 0 for the whole index.
        case index(String, rangeCount: Int)
    }

    /// The method by which documents are sorted.
    public enum Sort: Sendable, Hashable {
        /// The entries of the index are read in the order of the sort.
        case index
        /// The entries of the index are in the order of the first paths of the sort; documents with equal values at
        /// these paths are sorted by the remaining paths in memory. The associated value is the number of paths in
        /// whose order the entries are.
        case partlyIndex(Int)
        /// All documents that are found are sorted before the first one is returned.
        case blocking
    }

    /// The access path to the documents.
    public let access: Access
    /// The method by which the documents are sorted; nil if they are returned in natural order or in its reverse.
    public let sort: Sort?
    /// The names of indexes for SQL++ queries over a path of the filter. Filters can't use such indexes, since SQL++
    /// orders values differently and has no entries for the items of arrays. Empty if `access` isn't `scan`.
    public let indexesOfQueries: [String]

    init(access: Access, sort: Sort?, indexesOfQueries: [String] = []) {
        (self.access, self.sort, self.indexesOfQueries) = (access, sort, indexesOfQueries)
    }

    /// A Boolean value that says whether all documents are read before the first one is returned.
    public var isSortBlocking: Bool { sort == .blocking }

    /// A description of the plan in a sentence.
    public var description: String {
        let found =
            switch access {
            case .scan: "read every document"
            case .ids(let count): "look \(count) \(count == 1 ? "document" : "documents") up by _id"
            case .index(let name, 0): "read the index \(name)"
            case .index(let name, let count): "search \(count) \(count == 1 ? "range" : "ranges") of the index \(name)"
            }
        return switch sort {
        case nil: found
        case .index: "\(found) in the order of the sort"
        case .partlyIndex(1): "\(found) in the order of the sort's first path, and sort equal ones by the others"
        case .partlyIndex(let count):
            "\(found) in the order of the sort's first \(count) paths, and sort equal ones by the others"
        case .blocking: "\(found), then sort what is found"
        }
    }
}
