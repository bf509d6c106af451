/// The entries of one document in the table of an index, without the document's number: the columns of all entries in
/// one buffer.
struct DocumentEntries {
    /// The number of columns of an entry.
    private let width: Int
    /// A Boolean value that says whether the last column is a position, by which the entries are sorted. Otherwise a
    /// document has at most one entry.
    private let hasPosition: Bool
    private(set) var bytes: [UInt8] = []
    /// The end of each column in `bytes`: the columns of the first entry, then those of the second, and so on.
    private var ends: [Int] = []

    init(width: Int, hasPosition: Bool) {
        assert(width > 0)
        self.width = width
        self.hasPosition = hasPosition
    }

    /// The number of the document's entries in the index.
    var count: Int { ends.count / width }

    /// Returns the range in `bytes` of a column of an entry, given by the indexes of the entry and the column, from 0.
    func range(_ index: Int, _ column: Int) -> Range<Int> {
        assert(column >= 0 && column < width && index >= 0 && index < count, "the document has the entry")
        let end = index * width + column
        return (end == 0 ? 0 : ends[end - 1])..<ends[end]
    }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Appends the next column, whose bytes `write` appends to the buffer. An entry is complete when all its columns
    /// are appended.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        assert(bytes.count >= ends.last ?? 0, "a column is only appended")
        ends.append(bytes.count)
    }

    /// Returns the bytes of an entry's position, which is its last column; empty if entries have no position.
    private func position(_ index: Int) -> ArraySlice<UInt8> {
        hasPosition ? bytes[range(index, width - 1)] : []
    }

    private func isSame(_ index: Int, _ other: DocumentEntries, _ otherIndex: Int) -> Bool {
        (0..<width).allSatisfy { bytes[range(index, $0)] == other.bytes[other.range(otherIndex, $0)] }
    }

    /// The difference between a document's old entries and its new ones.
    struct Changes {
        /// The numbers, counted from 0, of the old entries that are to be deleted.
        private(set) var deleted: [Int] = []
        /// The numbers, counted from 0, of the new entries that are to be inserted.
        private(set) var inserted: [Int] = []

        var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty }

        /// Compares the old and the new entries, both sorted by position, and sets `deleted` and `inserted` to the
        /// difference.
        mutating func find(from old: DocumentEntries, to new: DocumentEntries) {
            deleted.removeAll(keepingCapacity: true)
            inserted.removeAll(keepingCapacity: true)
            assert(old.width == new.width && old.hasPosition == new.hasPosition, "the entries are those of one index")
            assert(new.ends.count.isMultiple(of: new.width), "entries are whole")
            assert(new.hasPosition || new.count <= 1, "a document without positions has one entry")
            if old.bytes == new.bytes, old.ends == new.ends { return }
            var (before, after) = (0, 0)
            while before < old.count, after < new.count {
                let (left, right) = (old.position(before), new.position(after))
                let isFirst = left.lexicographicallyPrecedes(right)
                let isLast = !isFirst && right.lexicographicallyPrecedes(left)
                if isFirst || isLast || !old.isSame(before, new, after) {
                    if !isLast { deleted.append(before) }
                    if !isFirst { inserted.append(after) }
                }
                if !isLast { before += 1 }
                if !isFirst { after += 1 }
            }
            deleted += before..<old.count
            inserted += after..<new.count
        }
    }
}
