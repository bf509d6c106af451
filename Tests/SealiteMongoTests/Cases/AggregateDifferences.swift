/// The cases of `aggregate.json` whose results differ, each with its reason (Fixtures/Mongo/differences.md).
enum AggregateDifferences {
    /// Only the order of members differs: a changed member keeps its position, and members that a projection computes
    /// come last, as in MongoDB.
    static let memberOrder: Set<String> = [
        "agg-0610", "agg-0611", "agg-0612", "agg-0628", "agg-0641", "agg-0643", "agg-0756", "agg-0764",
    ]

    /// The file lacks documents that the recorded collections had.
    static let lacksDocuments: Set<String> = [
        "agg-0001", "agg-0006", "agg-0364", "agg-0367", "agg-0368", "agg-0369", "agg-0371", "agg-0375", "agg-0377",
        "agg-0381", "agg-0383", "agg-0721", "agg-0782", "agg-0799", "agg-0800", "agg-0807", "agg-0931", "agg-0932",
        "agg-0933", "agg-0934", "agg-0935", "agg-0936", "agg-0937", "agg-0938", "agg-0939", "agg-0940", "agg-0941",
    ]

    /// The results depend on the order of the recorded collection, which the file doesn't state.
    static let lacksOrder: Set<String> = [
        "agg-0535", "agg-0546", "agg-0547", "agg-0548", "agg-0549", "agg-0550", "agg-0551", "agg-0552", "agg-0843",
        "agg-0845",
    ]

    /// MongoDB 8 has another result than the recorded server.
    static let otherInMongoDB: Set<String> = [
        "agg-0008", "agg-0020", "agg-0280", "agg-0282", "agg-0283", "agg-0485", "agg-0491", "agg-0700", "agg-0729",
        "agg-0848",
    ]

    private static let others: [(reason: String, ids: [String])] = [
        (
            "the recorded session set limits of $densify",
            ["agg-0088", "agg-0089", "agg-0090", "agg-0091", "agg-0093", "agg-0094"]
        ),
        ("`Pipeline` doesn't know that the request named no collection", ["agg-0670", "agg-0671", "agg-0673"]),
        ("$expMovingAvg keeps 34 digits of the intermediate average, not 15", ["agg-0009", "agg-0019", "agg-0021"]),
        ("a member without a value is omitted from an object", ["agg-0269"]),
        ("$addToSet leaves out a missing value", ["agg-0949"]),
        ("the operand of $count must be an empty object", ["agg-0638"]),
        ("$last of a missing value gives null", ["agg-0761"]),
    ]

    /// All ids with their reasons.
    static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for id in memberOrder { reasons[id] = "the order of members differs" }
        for id in lacksDocuments { reasons[id] = "the file lacks documents" }
        for id in lacksOrder { reasons[id] = "the file doesn't state the order of the collection" }
        for id in otherInMongoDB { reasons[id] = "MongoDB 8 has another result" }
        for (reason, ids) in others { for id in ids { reasons[id] = reason } }
        return reasons
    }()
}
