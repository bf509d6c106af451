internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

// MARK: - Composite types

/// An array type, as seen when a schema is derived from a Swift type.
protocol DerivedArray {
    static var item: any Decodable.Type { get }
    init()
}
