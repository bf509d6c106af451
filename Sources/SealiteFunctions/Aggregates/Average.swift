/// An aggregate whose result is the mean of the numbers; MISSING without numbers.
final class Average: Sum {
    override func give(to call: QueryCall) throws {
        guard count > 0 else { return }
        call.give(total / Double(count))
    }
}
