internal import Foundation
public import SealiteDatabase
internal import SealiteQueryLanguage

// Results of these types are declared in protocols, so that the compiler prefers the methods of the concrete types
// unless the context requires these types.

/// A set of named values, which are also available in Foundation's types.
public protocol NamedValues {
    /// Returns the value with a name; nil if there is none.
    func value(forName name: String) -> Value?
}

extension NamedValues {
    /// Returns the value with a name: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or `DictionaryObject`;
    /// nil if there is none.
    public func value(forName name: String) -> Any? {
        (value(forName: name) as Value?).map { FoundationValue.any($0) }
    }
}
