internal import Foundation
public import SealiteDatabase
internal import SealiteQueryLanguage

// Results of these types come from protocols, so that the methods of the types themselves are preferred unless the
// context requires these types.

/// A source of named values, which are also available in Foundation's types.
public protocol NamedValues {
    /// Returns a value; nil if there is none.
    func value(forName name: String) -> Value?
}

extension NamedValues {
    /// Returns a value: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or `DictionaryObject`; nil if there
    /// is none.
    public func value(forName name: String) -> Any? {
        (value(forName: name) as Value?).map { FoundationValue.any($0) }
    }
}
