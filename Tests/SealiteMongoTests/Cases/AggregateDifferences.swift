/// The cases of aggregate.json that end differently, each with its reason (Documentation/MongoDifferences.md).
enum AggregateDifferences {
    /// A member keeps its place where a value in it changes, and what a projection computes comes last, as in MongoDB.
    static let memberOrder: Set<String> = [
        "agg-0610", "agg-0611", "agg-0612", "agg-0628", "agg-0641", "agg-0643", "agg-0756", "agg-0764",
    ]

    /// The files lack documents that the recorded collections had.
    static let lacksDocuments: Set<String> = [
        "agg-0001", "agg-0006", "agg-0364", "agg-0367", "agg-0368", "agg-0369", "agg-0371", "agg-0375", "agg-0377",
        "agg-0381", "agg-0383", "agg-0721", "agg-0782", "agg-0799", "agg-0800", "agg-0807", "agg-0931", "agg-0932",
        "agg-0933", "agg-0934", "agg-0935", "agg-0936", "agg-0937", "agg-0938", "agg-0939", "agg-0940", "agg-0941",
    ]

    private static let others: [(reason: String, ids: [String])] = [
        (
            "what is first and last depends on the order of a collection, which wasn't recorded",
            [
                "agg-0535", "agg-0546", "agg-0547", "agg-0548", "agg-0549", "agg-0550", "agg-0551", "agg-0552",
                "agg-0843", "agg-0845",
            ]
        ),
        (
            "the limits of $densify are a setting of the recorded server's session",
            ["agg-0088", "agg-0089", "agg-0090", "agg-0091", "agg-0093", "agg-0094"]
        ),
        ("a pipeline over no collection isn't a pipeline here", ["agg-0670", "agg-0671", "agg-0673"]),
        ("$expMovingAvg keeps 34 digits of the average so far, not 15", ["agg-0009", "agg-0019", "agg-0021"]),
        ("a member without a value is left out of an object", ["agg-0269"]),
        ("$count takes an empty object", ["agg-0638"]),
        ("$last gives null for what is missing", ["agg-0761"]),
    ]

    /// All ids with their reasons.
    static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for id in memberOrder { reasons[id] = "another order of members" }
        for id in lacksDocuments { reasons[id] = "the files lack documents" }
        for (reason, ids) in others { for id in ids { reasons[id] = reason } }
        return reasons
    }()
}
