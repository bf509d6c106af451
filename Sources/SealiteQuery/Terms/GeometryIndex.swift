internal import SealiteDatabase
internal import SealiteFunctions

/// An index on geometries in the form that the translation of queries needs.
struct GeometryIndex {
    let number: Int64
    let name: String
    /// The name of the index's SQL table.
    let table: String
    let grid: GeoGrid
    /// The paths of the geometries, as names with dots between them.
    let paths: [String]

    /// Creates the index from its row of the database's catalogue of indexes; nil if it isn't one on geometries, or isn't ready for
    /// use.
    init?(_ record: IndexRecord) {
        guard let (table, grid, paths) = record.geometries else { return nil }
        (number, name, self.table, self.grid, self.paths) = (record.number, record.name, table, grid, paths)
    }
}
