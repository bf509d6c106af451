internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// A set.
protocol DerivedSet {
    static var item: any Decodable.Type { get }
    init()
}
