extension Duration {
    /// The duration in whole milliseconds; the largest or smallest number where it has more than a number holds.
    package var milliseconds: Int64 {
        let (product, isOver) = components.seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isOverToo) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return isOver || isOverToo ? (self < .zero ? .min : .max) : sum
    }
}
