internal import Foundation
internal import SealiteDatabase

/// The key of another object.
protocol DerivedReference {
    static var target: any Model.Type { get }
    static func sample(_ deriver: SchemaDeriver) throws -> Self
}
