package import SealiteValues

/// The rules by which an API stores and reads values of Swift's types. The coders are the same for all APIs.
package struct CodingRules: Sendable {
    /// An API whose documents hold values of Swift's types.
    package enum API: Sendable {
        /// The document API, and rows of queries: numbers are JSON's, of any size.
        case documents
        /// Models: numbers are those of a schema, and members that are nil aren't written.
        case models
        /// MongoDB's calls: numbers are BSON's, and are read only as types that represent them exactly.
        case mongo
    }

    /// Returns a stored value as a value of a type that only the calling layer knows: nil if it doesn't know the type,
    /// and `.some(nil)` if the stored value can't be read as the type.
    package typealias Reading = @Sendable (any Decodable.Type, StoredElement) throws -> (any Decodable)??
    /// Returns the value as which a value of a type that only the calling layer knows is stored; nil if it doesn't know
    /// the type.
    package typealias Writing = @Sendable (any Encodable) throws -> BSON?

    /// The API.
    package let api: API
    /// The form in which dates, bytes and UUIDs are stored; all forms are read.
    package var form = ValueForm.typed
    /// The context that is available to types while they are encoded or decoded.
    package var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// Reads values of types that only the calling layer knows.
    package var reading: Reading?
    /// Stores values of types that only the calling layer knows.
    package var writing: Writing?
    /// A Boolean value that says whether times are written in their full precision, for comparing values.
    package var isExact = false

    package init(_ api: API, form: ValueForm = .typed) { (self.api, self.form) = (api, form) }
}
