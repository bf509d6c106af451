extension NumericValue {
    /// A Boolean value that says whether the number is NaN.
    var isNaN: Bool {
        switch self {
        case .integer: false
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        }
    }
}
