/// The keyword `multipleOf` of JSON Schema, in decimal arithmetic: 0.0075 is a multiple of 0.0001.
struct MultipleCheck: SchemaCheck {
    let keyword = "multipleOf"
    let divisor: Decimal128
    let dialect: JSONSchema.Dialect

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        let number = try parser.number(keyword.value)
        divisor = Self.decimal(number, parser.dialect)
        dialect = parser.dialect
        guard divisor.isFinite, divisor.compared(to: .zero) > 0 else {
            throw parser.error(.failedToParse, "expected a finite number above 0")
        }
    }

    /// Returns a number as a decimal: a double is rounded to 15 digits in MongoDB's dialect, otherwise its shortest
    /// text is used.
    private static func decimal(_ number: NumericValue, _ dialect: JSONSchema.Dialect) -> Decimal128 {
        switch number {
        case .integer(let value): Decimal128(value)
        case .double(let value): dialect == .mongo ? Decimal128(value) : Decimal128(shortest: value)
        case .decimal(let value): value
        }
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard let number = NumericValue(value) else { return true }
        return Self.decimal(number, dialect).remainder(dividingBy: divisor).isZero
    }
}
