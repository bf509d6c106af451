extension Duration {
    /// The duration in whole milliseconds, clamped to the range of `Int64`.
    package var milliseconds: Int64 {
        let (product, isOver) = components.seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isOverToo) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return isOver || isOverToo ? (self < .zero ? .min : .max) : sum
    }

    /// The duration in whole milliseconds as SQLite takes the times to wait for locks: 0 for a negative one, and at most
    /// 24 days.
    package var lockMilliseconds: Int32 { Int32(clamping: max(0, milliseconds)) }
}
