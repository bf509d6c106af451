internal import FoundationEssentials
internal import SealiteFunctions

/// A component that the keys of an index depend on besides functions. (A function never changes under its name; see
/// Documentation/DocumentFormat.md §3.4.)
package enum IndexComponent: String, Sendable, CaseIterable {
    /// The layout of keys.
    case keys
    /// The tables of the Unicode collations.
    case collation
    /// The Unicode letters and white space: LOWER, UPPER and TRIM.
    case letters
    /// The layout of keys in MongoDB's order.
    case bson
    /// The layout of full-text indexes, and the rule that selects the strings of a value.
    case texts
    /// The tokenizer of full-text indexes, its tables and its lists of stop words.
    case words
    /// The stemmers of the program.
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
