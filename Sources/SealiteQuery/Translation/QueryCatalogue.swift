internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The collections that a query can name.
protocol QueryCatalogue {
    /// Returns the number that is part of the names of a collection's tables, the name of its scope and its name; nil
    /// if there is no such collection. `scope` is nil if the query names no scope.
    ///
    /// - Throws: `badName` for an invalid name.
    func collection(scope: String?, name: String) throws -> (number: Int, scope: String, name: String)?

    /// Returns the indexes of a collection that plans can use.
    func indexes(ofCollection number: Int) throws -> [PlannedIndex]

    /// Returns the full-text indexes of a collection that are ready for use.
    func textIndexes(ofCollection number: Int) throws -> [TextIndex]
}
