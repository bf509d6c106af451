import Testing

/// A page in Prometheus' text exposition format 0.0.4, held against its rules.
struct ParsedMetrics {
    /// The values by name and labels, as on the page: `sealite_listener_deltas_total{direction="sent"}`.
    private(set) var values: [String: Double] = [:]
    /// The kind of each family, by its name.
    private(set) var kinds: [String: String] = [:]
    private(set) var helps: [String: String] = [:]

    struct Malformed: Error, CustomStringConvertible { let description: String }

    init(_ page: String) throws {
        guard page.hasSuffix("\n") else { throw Malformed(description: "the last line has no end") }
        var family = ""
        for line in page.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP "), words.count == 4 {
                guard helps.updateValue(words[3], forKey: words[2]) == nil, kinds[words[2]] == nil else {
                    throw Malformed(description: "not before its family: \(line)")
                }
            } else if line.hasPrefix("# TYPE "), words.count == 4 {
                family = words[2]
                guard ["counter", "gauge", "histogram"].contains(words[3]),
                    kinds.updateValue(words[3], forKey: family) == nil
                else { throw Malformed(description: "a family twice, or of no kind: \(line)") }
            } else {
                try add(line, to: family)
            }
        }
        try checkHistograms()
    }

    private mutating func add(_ line: Substring, to family: String) throws {
        guard let match = line.wholeMatch(of: #/([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^ ]+\})? (-?[0-9.e+-]+|NaN|[+-]Inf)/#),
            let value = Double(match.3), let kind = kinds[family]
        else { throw Malformed(description: "no sample: \(line)") }
        let endings = kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard endings.contains(where: { family + $0 == match.1 }) else {
            throw Malformed(description: "outside of its family: \(line)")
        }
        if let labels = match.2 {
            let pairs =
                #/\{[a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\["\\n])*"(,[a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\["\\n])*")*\}/#
            guard labels.wholeMatch(of: pairs) != nil else { throw Malformed(description: "labels: \(line)") }
        }
        let name = "\(match.1)\(match.2 ?? "")"
        guard values.updateValue(value, forKey: name) == nil else { throw Malformed(description: "twice: \(line)") }
        guard kind == "gauge" || value >= 0 else { throw Malformed(description: "a negative count: \(line)") }
    }

    /// The buckets of each histogram without labels rise, and the last has the count.
    private func checkHistograms() throws {
        for (family, kind) in kinds where kind == "histogram" {
            let buckets = values.compactMap { name, value -> (Double, Double)? in
                guard let match = name.wholeMatch(of: #/([a-z_]+)_bucket\{le="([^"]+)"\}/#), match.1 == family else {
                    return nil
                }
                return (match.2 == "+Inf" ? .infinity : Double(match.2) ?? .nan, value)
            }.sorted { $0.0 < $1.0 }
            let isRising = zip(buckets, buckets.dropFirst()).allSatisfy { $0.1 <= $1.1 && $0.0 < $1.0 }
            guard let last = buckets.last, last.0 == .infinity, isRising, last.1 == values["\(family)_count"],
                values["\(family)_sum"] != nil
            else { throw Malformed(description: "the buckets of \(family)") }
        }
    }

    subscript(name: String) -> Double? { values[name] }
}
