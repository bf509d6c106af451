internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// A dictionary type, as seen when a schema is derived from a Swift type.
protocol DerivedDictionary {
    static var item: any Decodable.Type { get }
    /// A Boolean value that says whether the keys are the names of an object's members.
    static var hasNames: Bool { get }
    init()
}
