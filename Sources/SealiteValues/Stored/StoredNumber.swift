/// A number of a stored body with its BSON type.
package struct StoredNumber {
    /// The number.
    let value: NumericValue
    /// The type: int32, int64, double or decimal128.
    package let type: BSONType

    /// A Boolean value that says whether the number is NaN.
    var isNotANumber: Bool {
        switch value {
        case .integer: false
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        }
    }

    init(_ value: NumericValue, type: BSONType? = nil) {
        self.value = value
        self.type = type ?? BSON(value).type
    }
}
