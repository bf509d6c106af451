public import Foundation
public import SealiteValues

/// A type whose values queries can compare with `<`: stored values sort in the same order as the Swift values.
///
/// An enum may conform if its raw values sort in the order of its cases.
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
// Strings are compared by their bytes in UTF-8.
extension String: OrderedValue {}
extension Date: OrderedValue {}
extension DateTime: OrderedValue {}
extension Decimal: OrderedValue {}
extension Decimal128: OrderedValue {}
extension ObjectID: OrderedValue {}
extension UUID: OrderedValue {}
