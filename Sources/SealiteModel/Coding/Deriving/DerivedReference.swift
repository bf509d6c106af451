internal import Foundation
internal import SealiteDatabase

/// A link type, as seen when a schema is derived from a Swift type.
protocol DerivedReference {
    static var target: any Model.Type { get }
    static func sample(_ deriver: SchemaDeriver) throws -> Self
}
