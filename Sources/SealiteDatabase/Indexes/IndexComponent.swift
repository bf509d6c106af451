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
        }
    }
}
