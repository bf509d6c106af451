internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$covariancePop` and `$covarianceSamp`.
    static let covariances: [WindowFunctionKind] = [
        covariance("$covariancePop", isSample: false), covariance("$covarianceSamp", isSample: true),
    ]

    private static func covariance(_ name: String, isSample: Bool) -> WindowFunctionKind {
        .init(name) { operand, window, order, parser in
            // Only pairs count; other values of the operand are ignored.
            let input = try parser.parse(operand)
            return AccumulatedWindow(
                accumulator: AccumulatorSpecification(input) { _ in CovarianceAccumulator(isSample: isSample) },
                bounds: try WindowBounds(window, order))
        }
    }
}
