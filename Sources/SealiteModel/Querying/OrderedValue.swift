public import Foundation
public import SealiteValues

/// A type of members that queries can compare with `<`: the order of stored values is the order of the values.
///
/// An enum whose raw values have the order of its cases may conform too.
public protocol OrderedValue: Codable {}

extension Int: OrderedValue {}
extension Int8: OrderedValue {}
extension Int16: OrderedValue {}
extension Int32: OrderedValue {}
extension Int64: OrderedValue {}
extension UInt: OrderedValue {}
extension UInt8: OrderedValue {}
extension UInt16: OrderedValue {}
extension UInt32: OrderedValue {}
extension UInt64: OrderedValue {}
extension Double: OrderedValue {}
extension Float: OrderedValue {}
// Compared by the bytes of UTF-8.
extension String: OrderedValue {}
extension Date: OrderedValue {}
extension DateTime: OrderedValue {}
extension Decimal128: OrderedValue {}
extension ObjectID: OrderedValue {}
extension UUID: OrderedValue {}
