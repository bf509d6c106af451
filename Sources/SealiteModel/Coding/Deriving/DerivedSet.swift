internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// A set type, as seen when a schema is derived from a Swift type.
protocol DerivedSet {
    static var item: any Decodable.Type { get }
    init()
}
