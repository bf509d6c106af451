extension QueryFunction {
    /// All SQL functions of queries except aggregates and functions of FTS5.
    static let all: [QueryFunction] =
        values + comparisons + arithmetic + truth + keys + constructors + conditions + strings + numbers + types
        + arrays + arrayChanges + arraySets + objects + objectChanges + distances + dates + regularExpressions + mongo
        + fullText

    /// The SQL functions that read a value from a document's body, and that count visited rows.
    private static let values: [QueryFunction] = [
        .init("query_value", 1...many) { call in try call.giveValue(inBody: 0) },
        .init("query_visited", 3, isDeterministic: false) { call in call.countVisit() },
    ]
}
