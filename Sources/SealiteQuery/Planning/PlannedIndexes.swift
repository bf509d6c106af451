internal import SealiteDatabase
internal import SealiteQueryLanguage
internal import Synchronization

/// A cache of indexes with parsed definitions, because parsing a stored definition takes longer than translating a
/// query.
enum PlannedIndexes {
    private static let limit = 64
    private static let known = Mutex<[(record: IndexRecord, index: PlannedIndex?)]>([])

    /// Returns the index of a row of the catalogue of indexes, with its definition parsed; nil if queries can't use it.
    static func index(_ record: IndexRecord) -> PlannedIndex? {
        if let found = known.withLock({ $0.first { $0.record == record } }) { return found.index }
        let index = PlannedIndex(record)
        known.withLock { known in
            assert(known.count <= limit)
            if known.count == limit { known.removeFirst() }
            known.append((record, index))
        }
        return index
    }
}
