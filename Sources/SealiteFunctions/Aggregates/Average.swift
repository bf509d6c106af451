/// An aggregate of the mean of numbers.
final class Average: Sum {
    override func give(to call: QueryCall) {
        guard count > 0 else { return }
        call.give(total / Double(count))
    }
}
