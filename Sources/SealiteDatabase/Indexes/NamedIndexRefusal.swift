internal import SealiteJSON
internal import SealiteValues

/// A refusal with the name of the index.
package struct NamedIndexRefusal: Error, Sendable {
    /// The rule of the index that the document violates.
    package let refusal: IndexRefusal
    /// The name of the index.
    package let index: String
}
