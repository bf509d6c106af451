internal import Glibc
internal import SealiteValues

/// A series of numbers to which `$bucketAuto` rounds bucket boundaries: of Renard (`R5` to `R80`), of IEC 60063 (`E6`
/// to `E192`), `1-2-5` or the powers of two.
struct PreferredNumbers: Sendable {
    /// The numbers of one decade in ascending order, all multiplied by the same power of ten; nil for the powers of
    /// two.
    private let decade: [Double]?

    /// Creates the series with a name, such as `R5`; throws `MongoError` for an unknown name.
    init(_ name: String) throws {
        switch name {
        case "POWERSOF2": decade = nil
        case "1-2-5": decade = [1, 2, 5]
        default:
            guard let count = Int(name.dropFirst()), let numbers = Self.decade(name.first, count) else {
                throw MongoError(
                    code: 40257,
                    "$bucketAuto takes R5, R10, R20, R40, R80, E6, E12, E24, E48, E96, E192, 1-2-5 or POWERSOF2 as 'granularity'."
                )
            }
            decade = numbers
        }
    }

    /// Throws `MongoError` if a value isn't a number of at least 0.
    static func check(_ value: BSON) throws {
        guard let number = Number(value) else {
            throw MongoError(
                code: 40258, "$bucketAuto with a 'granularity' takes numbers as 'groupBy', not \(value.type.alias).")
        }
        guard !number.isNaN else {
            throw MongoError(code: 40259, "$bucketAuto with a 'granularity' takes no NaN as 'groupBy'.")
        }
        guard !number.isNegative else {
            throw MongoError(code: 40260, "$bucketAuto with a 'granularity' takes no negative number as 'groupBy'.")
        }
    }

    /// Returns the lowest number of the series above a value, 0 if the value is 0; nil for infinity and values that
    /// aren't numbers.
    func next(above value: BSON) -> BSON? {
        guard let number = Number(value)?.double, number.isFinite else { return nil }
        guard number > 0 else { return .double(0) }
        guard let decade else { return .double(exp2(floor(log2(number)) + 1)) }
        var scale = pow(10, floor(Glibc.log10(number)))
        while scale * decade[0] > number { scale /= 10 }
        for _ in 0..<3 {
            if let found = decade.first(where: { $0 * scale > number }) { return .double(found * scale) }
            scale *= 10
        }
        return nil
    }

    /// Returns the highest number of the series below a value, 0 if the value is 0; nil for infinity and values that
    /// aren't numbers.
    func last(below value: BSON) -> BSON? {
        guard let number = Number(value)?.double, number.isFinite else { return nil }
        guard number > 0 else { return .double(0) }
        guard let decade else { return .double(exp2(ceil(log2(number)) - 1)) }
        var scale = pow(10, ceil(Glibc.log10(number)))
        for _ in 0..<4 {
            if let found = decade.last(where: { $0 * scale < number }) { return .double(found * scale) }
            scale /= 10
        }
        return nil
    }

    private static func decade(_ letter: Character?, _ count: Int) -> [Double]? {
        switch (letter, count) {
        case ("R", 5): [10, 16, 25, 40, 63]
        case ("R", 10): [100, 125, 160, 200, 250, 315, 400, 500, 630, 800]
        case ("R", 20):
            [100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710, 800, 900]
        case ("R", 40):
            [
                100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300, 315,
                355, 375, 400, 425, 450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950,
            ]
        case ("R", 80):
            [
                103, 109, 115, 122, 128, 136, 145, 155, 165, 175, 185, 195, 206, 218, 230, 243, 258, 272, 290, 307, 325,
                345, 365, 387, 412, 437, 462, 487, 515, 545, 575, 615, 650, 690, 730, 775, 825, 875, 925, 975,
            ]
        case ("E", 6): [10, 15, 22, 33, 47, 68]
        case ("E", 12): [10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82]
        case ("E", 24):
            [
                10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91,
            ]
        case ("E", 48), ("E", 96), ("E", 192):
            (0..<count).map { index in
                // IEC 60063 lists 9.20 where the formula gives 9.19.
                let number = (pow(10, Double(index) / Double(count)) * 100).rounded()
                return number == 919 && count == 192 ? 920 : number
            }
        default: nil
        }
    }
}
