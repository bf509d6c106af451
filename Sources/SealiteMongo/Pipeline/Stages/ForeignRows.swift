internal import SealiteValues

/// The rows of another collection, held in memory for `$lookup` and `$graphLookup`.
final class ForeignRows {
    /// All rows in the collection's order.
    let rows: [Row]
    private let path: FilterPath?
    private var places: [BSONKey: [Int]] = [:]

    /// Reads the rows of a collection (none if it is nil), and indexes them by the values at a path unless the path is
    /// nil.
    init(_ collection: String?, by path: FilterPath?, _ run: PipelineRun, for stage: String) throws {
        self.path = path
        var rows: [Row] = []
        if let collection {
            var cursor = try run.openStore(for: stage).rows(of: collection)
            while let row = try cursor.next() {
                try run.memory.take(row.memoryByteCount, for: stage)
                rows.append(row)
            }
        }
        self.rows = rows
        guard let path else { return }
        for (place, row) in rows.enumerated() {
            for key in Set(row.leaves(at: path, .itemsAndArrays).map { BSONKey($0 ?? .null) }) {
                try run.memory.take(key.value.memoryByteCount, for: stage)
                places[key, default: []].append(place)
            }
        }
    }

    /// Returns the rows that have one of the values at the path, in the collection's order.
    func rows(matching values: [BSON]) -> [Row] {
        var found: Set<Int> = []
        for value in values { found.formUnion(places[BSONKey(value)] ?? []) }
        return found.sorted().map { rows[$0] }
    }
}

extension Row {
    /// Returns the values at a path by which the rows of another collection are looked up: the items of an array, null
    /// for a missing value.
    func localValues(at path: FilterPath) -> [BSON] {
        leaves(at: path, .items).map { $0 ?? .null }
    }
}
