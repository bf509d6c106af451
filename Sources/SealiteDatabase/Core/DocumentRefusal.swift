/// An error of a guard about the content of a document.
package protocol DocumentRefusal: Error {
    /// A sentence that names the properties and the rules that these violate, never values.
    var refusal: String { get }
}
