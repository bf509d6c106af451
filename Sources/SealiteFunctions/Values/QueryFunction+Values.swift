extension QueryFunction {
    /// Every function but aggregates.
    static let all: [QueryFunction] =
        values + comparisons + arithmetic + truth + keys + constructors + conditions + strings + numbers + types
        + arrays
        + arrayChanges + objects + distances + dates + regularExpressions + mongo + fullText

    /// The functions that read bodies.
    private static let values: [QueryFunction] = [
        .init("query_value", 1...many) { call in call.giveValue(inBody: 0) },
        .init("query_visited", 3, isDeterministic: false) { call in call.countVisit() },
    ]
}
