internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

// MARK: - Composite types

/// A list.
protocol DerivedArray {
    static var item: any Decodable.Type { get }
    init()
}
