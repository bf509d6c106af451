internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// An optional.
protocol DerivedOptional {
    static var wrapped: any Decodable.Type { get }
    static var absent: Self { get }
}
