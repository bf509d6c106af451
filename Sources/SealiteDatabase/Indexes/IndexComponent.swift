internal import FoundationEssentials
internal import SealiteFunctions

/// A part of the program, besides SQL functions, on which the keys of an index depend. If its version changes, the
/// indexes that depend on it are rebuilt. (A function never changes under its name; see Documentation/DocumentFormat.md
/// §3.4.)
package enum IndexComponent: String, Sendable, CaseIterable {
    /// The layout of index keys as bytes.
    case keys
    /// The tables of the Unicode collations.
    case collation
    /// The Unicode letters and white space: LOWER, UPPER and TRIM.
    case letters
    /// The layout of index keys as bytes that sort in MongoDB's order of values.
    case bson
    /// The layout of full-text indexes, and the rule that selects the strings of a value.
    case texts
    /// The tokenizer of full-text indexes, its tables and its lists of stop words.
    case words
    /// The stemmers, which reduce the words of a language to their stems for full-text indexes.
    case stemmer
    /// The layout of vector indexes.
    case vectors
    /// The grids of indexes on geometries, and the rules by which geometries are read and covered by cells.
    case cells

    /// The version of the component in this program.
    var version: Int {
        switch self {
        case .keys: 1
        case .collation: BodyFunctions.collationVersion
        case .letters: 1
        case .bson: 1
        case .texts: 1
        case .words: BodyFunctions.wordsVersion
        case .stemmer: BodyFunctions.stemmerVersion
        case .vectors: 1
        case .cells: 1
        }
    }
}

/// The components that an index depends on (`IndexComponent`) and their versions, in the form in which the catalogue of
/// indexes stores them: a JSON object.
enum IndexComponents {
    /// The result of comparing the components of an index, and their versions, with those of the program.
    enum Agreement {
        /// The stored versions of all components are the program's.
        case same
        /// A version differs: the index must be rebuilt.
        case different
        /// The program doesn't know a component and so can't maintain the index.
        case unknown
    }

    /// Returns the JSON object with this program's versions of the components that a new index depends on.
    static func stored(_ components: some Sequence<IndexComponent>) -> String {
        let members = Set(components).map { "\"\($0.rawValue)\":\($0.version)" }
        return "{\(members.sorted().joined(separator: ","))}"
    }

    /// Returns the stored form of an index's components, with each version replaced by this program's.
    static func renewed(_ stored: String) -> String {
        Self.stored((versions(stored) ?? [:]).keys.compactMap { IndexComponent(rawValue: $0) })
    }

    private static func versions(_ stored: String) -> [String: Int]? {
        try? JSONDecoder().decode([String: Int].self, from: Data(stored.utf8))
    }

    /// Compares the stored component versions of an index with the program's.
    static func agreement(_ stored: String) -> Agreement {
        guard let versions = versions(stored), versions.keys.allSatisfy({ IndexComponent(rawValue: $0) != nil }) else {
            return .unknown
        }
        return versions.allSatisfy { IndexComponent(rawValue: $0.key)?.version == $0.value } ? .same : .different
    }
}
