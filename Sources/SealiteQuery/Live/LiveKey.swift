/// The key that equal observed queries share, so that they are run once for all their observers.
struct LiveKey: Hashable, Sendable {
    /// The query as SQL++ text, printed from its syntax tree.
    let text: String
    let parameters: Parameters
    let rowLimit: Int?
    let timeLimit: Duration?
    let throttle: Duration

    static func == (left: LiveKey, right: LiveKey) -> Bool {
        left.text == right.text && left.rowLimit == right.rowLimit && left.timeLimit == right.timeLimit
            && left.throttle == right.throttle && left.parameters.isIdentical(to: right.parameters)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        for name in parameters.names { hasher.combine(parameters.value(forName: name)) }
    }
}
