internal import SealiteValues

extension Decimal128 {
    /// Creates the decimal of 34 digits that is nearest to a finite double; without zeros at its end if it is exact.
    init(nearest value: Double) {
        let parts = Text.formatted(value, "%.33e").split(separator: "e")
        var digits = parts.first ?? "0"
        while digits.contains("."), digits.last == "0" || digits.last == "." {
            let isPoint = digits.removeLast() == "."
            if isPoint { break }
        }
        let number = Decimal128("\(digits)E\(parts.last ?? "0")") ?? Decimal128(value)
        // An integer has no positive exponent.
        self = value == value.rounded() && value.magnitude < 0x1p63 ? Decimal128(Int64(value)) : number
    }
}
