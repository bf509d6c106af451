internal import SealiteJSON
internal import SealiteValues

/// The refusal of a document by an index, with the index's name: the underlying error of `refusedByIndex`.
package struct NamedIndexRefusal: Error, Sendable {
    /// The rule of the index that the document violates.
    package let refusal: IndexRefusal
    /// The name of the index that refused the document.
    package let index: String
}
