internal import SealiteFunctions

/// A kind of index, with the name by which the catalogue of indexes stores it (Documentation/DocumentFormat.md §3.2).
///
/// The compiler names the places that a new kind concerns: the properties below, `form(stored:)`, and `IndexForm` with its
/// uses if the definition of the kind has a type of its own.
package enum IndexKind: String, Sendable, CaseIterable {
    /// The keys of a document's expressions (§3.4).
    case value
    /// The keys of the elements of an array (§3.5).
    case array
    /// The values at paths, through nested documents and arrays (§3.6).
    case multikey
    /// The cells of the geometries at paths (§3.10).
    case geo
    /// The words of texts (§3.7).
    case text
    /// Vectors in lists around centroids (§3.9).
    case vector

    /// The beginning of the name of the index's table, which the index's number follows.
    var tablePrefix: String {
        switch self {
        case .value: "keys_"
        case .array, .multikey, .geo: "elements_"
        case .text: "text_"
        case .vector: VectorTables.prefix
        }
    }

    /// The beginnings of the names of the index's other tables and views, which the index's number follows.
    var otherPrefixes: [String] {
        switch self {
        case .value, .array, .multikey, .geo: []
        case .text: [Self.textViewPrefix]
        case .vector: VectorTables.otherPrefixes
        }
    }

    /// The beginning of the name of the view of a full-text index.
    static let textViewPrefix = "text_rows_"

    /// The beginnings of the names of tables and views of indexes, each once.
    package static let prefixes = Set(allCases.flatMap { [$0.tablePrefix] + $0.otherPrefixes })
}
