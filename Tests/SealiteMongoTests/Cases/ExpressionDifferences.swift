/// The cases of `expression.json` whose results differ, each with its reason (Fixtures/Mongo/differences.md).
enum ExpressionDifferences {
    /// The recorded server interprets a text without a zone as local time in Los Angeles; Sealite uses UTC, as MongoDB
    /// does.
    static let recordedZone: Set<String> = [
        "expr-2108", "expr-2109", "expr-2110", "expr-2111", "expr-2113", "expr-2115", "expr-2116", "expr-2117",
        "expr-2118", "expr-2121", "expr-2122", "expr-2124", "expr-2125", "expr-2126", "expr-2127", "expr-2129",
        "expr-2130", "expr-2131", "expr-2132", "expr-2142", "expr-2143", "expr-2145", "expr-2146", "expr-2147",
        "expr-2148", "expr-2149", "expr-2151", "expr-2152", "expr-2194", "expr-2195", "expr-2198", "expr-2200",
        "expr-4169", "expr-4171", "expr-4172", "expr-4173",
    ]

    /// MongoDB 8 has another result than the recorded server.
    static let otherInMongoDB: Set<String> = [
        "expr-0057", "expr-0162", "expr-0163", "expr-0199", "expr-1658", "expr-1660", "expr-1661", "expr-4077",
        "expr-4079", "expr-2922", "expr-2930", "expr-2931", "expr-2981", "expr-3017", "expr-3018", "expr-3066",
        "expr-3067", "expr-3106", "expr-3113", "expr-3154", "expr-3155",
    ]

    private static let others: [(reason: String, ids: [String])] = [
        (
            "$dateDiff counts days and weeks in UTC, not in the recording server's zone",
            ["expr-2038", "expr-2063", "expr-2065"]
        ),
        ("the recorded result lacks the seconds", ["expr-2191"]),
        (
            "a date that exceeds 64 bits of milliseconds is refused",
            ["expr-0023", "expr-0025", "expr-0026"]
        ),
        (
            "$dateTrunc refuses a result more than about 292,000 years from 1970",
            ["expr-1865", "expr-1871", "expr-1877"]
        ),
        ("null and undefined are different values", ["expr-1022"]),
        (
            "π has 34 digits, not 15",
            [
                "expr-3493", "expr-3495", "expr-3518", "expr-3553", "expr-3555", "expr-3556", "expr-3597", "expr-3635",
                "expr-3636", "expr-3637", "expr-3639", "expr-3676", "expr-3677", "expr-3678", "expr-3680", "expr-3719",
                "expr-3720", "expr-3721", "expr-3758", "expr-3759", "expr-3760", "expr-3762",
            ]
        ),
        (
            "the recorded server's $toHashedIndexKey has another hash than MongoDB",
            [
                "expr-4174", "expr-4175", "expr-4176", "expr-4177", "expr-4178", "expr-4180", "expr-4182", "expr-4183",
                "expr-4193", "expr-4194", "expr-4196", "expr-4198",
            ]
        ),
    ]

    /// All ids with their reasons.
    static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for id in recordedZone { reasons[id] = "recorded in another time zone" }
        for id in otherInMongoDB { reasons[id] = "MongoDB 8 has another result" }
        for (reason, ids) in others { for id in ids { reasons[id] = reason } }
        return reasons
    }()
}
