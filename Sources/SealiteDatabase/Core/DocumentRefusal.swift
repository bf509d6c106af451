/// An error of a guard about the content of a document.
package protocol DocumentRefusal: Error {
    /// A sentence that names properties and the rules that they break, never values.
    var refusal: String { get }
}
