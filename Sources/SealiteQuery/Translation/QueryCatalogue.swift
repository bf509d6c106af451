internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The collections that a query can name, and their indexes.
protocol QueryCatalogue {
    /// Returns the number of a collection, which is part of the names of its SQL tables, the name of its scope and its
    /// name; nil if there is no such collection. `scope` is nil if the query names no scope.
    ///
    /// - Throws: `QueryFailure` for an invalid name.
    func collection(scope: String?, name: String) throws -> (number: Int, scope: String, name: String)?

    /// Returns the indexes, other than full-text indexes, of a collection that queries can use.
    func indexes(ofCollection number: Int) throws -> [PlannedIndex]

    /// Returns the full-text indexes of a collection that are ready for use.
    func textIndexes(ofCollection number: Int) throws -> [TextIndex]
}
