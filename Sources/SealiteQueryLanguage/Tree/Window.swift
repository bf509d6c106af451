/// The window of a window function: `OVER (PARTITION BY … ORDER BY … ROWS BETWEEN … AND …)`.
package struct Window: Sendable, Equatable {
    package var partitions: [Expression]
    package var order: [OrderTerm]
    package var frame: WindowFrame?

    package init(partitions: [Expression] = [], order: [OrderTerm] = [], frame: WindowFrame? = nil) {
        self.partitions = partitions
        self.order = order
        self.frame = frame
    }
}
