extension QueryFunction {
    /// All functions except aggregates.
    static let all: [QueryFunction] =
        values + comparisons + arithmetic + truth + keys + constructors + conditions + strings + numbers + types
        + arrays
        + arrayChanges + objects + distances + dates + regularExpressions + mongo + fullText

    /// Functions that read bodies.
    private static let values: [QueryFunction] = [
        .init("query_value", 1...many) { call in call.giveValue(inBody: 0) },
        .init("query_visited", 3, isDeterministic: false) { call in call.countVisit() },
    ]
}
