internal import SealiteJSON
internal import SealiteValues

/// A refusal with the name of the index.
package struct NamedIndexRefusal: Error, Sendable {
    /// The reason for which the index refuses the document.
    package let refusal: IndexRefusal
    /// The name of the index.
    package let index: String
}
