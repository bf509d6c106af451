/// Writes the results of a live query.
protocol LivePrinter {
    /// Writes the first result.
    func begin(with rows: LiveRows)
    /// Writes the differences between the previous result and a later one, `rows`.
    func write(_ events: [LiveEvent], of rows: LiveRows)
}

extension LiveEvent.Kind {
    /// The sign of the event's kind, which is written before the row.
    var sign: String {
        switch self {
        case .inserted: "+"
        case .removed: "-"
        case .updated: "~"
        case .moved: ">"
        }
    }
}
