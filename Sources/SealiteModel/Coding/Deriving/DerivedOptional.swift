internal import Foundation
internal import SealiteDatabase
internal import SealiteValues

/// An optional type, as seen when a schema is derived from a Swift type.
protocol DerivedOptional {
    static var wrapped: any Decodable.Type { get }
    static var absent: Self { get }
}
