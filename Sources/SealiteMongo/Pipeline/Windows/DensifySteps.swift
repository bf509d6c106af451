internal import SealiteValues

/// The steps in which `$densify` adds values: of a number, or of a number of calendar units for dates.
struct DensifySteps: Sendable {
    private let step: Number
    private let unit: DateUnit?

    init(_ range: StageMembers) throws {
        guard let step = Number(range["step"]) else {
            throw MongoError(code: 14, "$densify takes a number as 'step', not \(range["step"].typeName).")
        }
        guard !step.isNegative, !step.isZero, !step.isNaN else {
            throw MongoError(code: 5733401, "$densify takes a positive 'step'.")
        }
        unit = try range["unit"].map { try DateUnit.argument($0, "$densify") } ?? nil
        guard unit == nil || step.exactInteger != nil else {
            throw MongoError(code: 6586400, "$densify takes an integer as 'step' with a 'unit'.")
        }
        self.step = step
    }

    /// Returns a Boolean value that says whether a value is a number or, if the steps have a unit, a date.
    func fits(_ value: BSON) -> Bool { unit == nil ? Number(value) != nil : value.type == .datetime }

    /// Throws `MongoError` if the bounds aren't of the steps' type, or aren't in ascending order.
    func check(_ lower: BSON, _ upper: BSON) throws {
        guard fits(lower), fits(upper) else {
            throw MongoError(code: 5733402, "$densify takes numbers in 'bounds' or, with a 'unit', dates.")
        }
        guard lower.compared(to: upper) <= 0 else {
            throw MongoError(code: 5733402, "$densify takes 'bounds' whose first value isn't above the second.")
        }
        guard unit == nil else { return }
        func family(_ value: BSON) -> Int { value.type == .decimal128 ? 2 : value.type == .double ? 1 : 0 }
        guard family(lower) == family(upper), family(lower) == family(step.bson) else {
            throw MongoError(
                code: 5733406,
                "$densify takes 'bounds' and a 'step' that are all integers, all doubles or all decimals.")
        }
    }

    /// Returns the value that is `count` steps after `start`.
    func value(_ count: Int, from start: BSON) throws -> BSON {
        guard count > 0 else { return start }
        if case .datetime(let date) = start {
            guard let unit, let whole = step.exactInteger,
                case let (amount, isTooLarge) = Int(whole).multipliedReportingOverflow(by: count), !isTooLarge,
                let value = date.adding(amount, unit, .utc)
            else { throw DateTime.overflow("$densify") }
            return .datetime(value)
        }
        let distance = step.multiplied(by: .int64(Int64(count)))
        // The sum of 32-bit integers stays a 32-bit integer if it fits.
        let narrow = distance.integer.map { Number($0, isWide: step.isInt64) } ?? distance
        return (Number(start) ?? .int32(0)).adding(narrow).bson
    }
}
