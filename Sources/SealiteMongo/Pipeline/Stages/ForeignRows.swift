internal import SealiteValues

/// The rows of another collection, held for looking up.
final class ForeignRows {
    /// All rows in the collection's order.
    let rows: [Row]
    private let path: [String]?
    private var places: [BSONKey: [Int]] = [:]

    /// The rows of a collection, by the values at a path where one is given.
    init(_ collection: String?, by path: [String]?, _ run: PipelineRun, for stage: String) throws {
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
            for key in Set(row.elements(at: path).map { BSONKey($0 ?? .null) }) {
                try run.memory.take(key.value.memoryByteCount, for: stage)
                places[key, default: []].append(place)
            }
        }
    }

    /// Returns the rows that have one of the values at the path.
    func rows(matching values: [BSON]) -> [Row] {
        var found: Set<Int> = []
        for value in values { found.formUnion(places[BSONKey(value)] ?? []) }
        return found.sorted().map { rows[$0] }
    }
}

extension Row {
    /// Returns the values at a local path by which other rows are looked up: the items of an array, null for what is missing.
    func localValues(at path: [String]) -> [BSON] {
        elements(at: path, hasWholeArrays: false).map { $0 ?? .null }
    }
}
