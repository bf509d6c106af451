internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// A dictionary type, as seen when a schema is derived from a Swift type.
protocol DerivedDictionary {
    static var item: any Decodable.Type { get }
    /// A Boolean value that says whether dictionaries of the type are encoded as objects with the keys as members'
    /// names, instead of as arrays.
    static var hasNames: Bool { get }
    init()
}
