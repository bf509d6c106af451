/// The data every benchmark of the document database uses: people of about 300 bytes of JSON each, the same ones for
/// the same seed on every machine.
///
/// A record has a name, an age, an email address, tags, a nested address and a score, in that order.
public struct PersonGenerator: Sequence, IteratorProtocol {
    private var state: UInt64
    private var index: Int
    private let end: Int

    /// Creates a generator of `count` records.
    public init(count: Int, seed: UInt64 = 20_261_121) {
        state = seed
        index = 0
        end = count
    }

    /// One record: an id and its fields.
    public struct Person: Sendable {
        /// The id, `person-` and seven digits.
        public let id: String
        /// First and last name.
        public let name: String
        /// From 18 to 87.
        public let age: Int
        /// Unique by the number of the record.
        public let email: String
        /// Three words.
        public let tags: [String]
        /// A number and a name.
        public let street: String
        /// One of ten.
        public let city: String
        /// Five digits.
        public let postcode: String
        /// Two letters.
        public let country: String
        /// From 0 to 1000, three decimals.
        public let score: Double
        /// Nine words.
        public let bio: String

        /// The record as compact JSON text.
        public var json: String {
            let tagList = tags.map { "\"\($0)\"" }.joined(separator: ",")
            return """
                {"name":"\(name)","age":\(age),"email":"\(email)","tags":[\(tagList)],\
                "address":{"street":"\(street)","city":"\(city)","postcode":"\(postcode)","country":"\(country)"},\
                "score":\(score),"bio":"\(bio)"}
                """
        }
    }

    private static let firstNames = [
        "Ana", "Bruno", "Carla", "Diego", "Elsa", "Farid", "Greta", "Hugo", "Inês", "Jonas", "Kaya", "Lena", "Mira",
        "Nils", "Olga", "Pavel", "Quinn", "Rosa", "Søren", "Tomás", "Uma", "Viktor", "Wanda", "Xenia", "Yara", "Zoë",
    ]
    private static let lastNames = [
        "Almeida", "Bianchi", "Costa", "Dahl", "Eriksen", "Fischer", "García", "Horvat", "Ivanova", "Jansen",
        "Kowalski",
        "Lindqvist", "Moreau", "Novak", "Okafor", "Petrov", "Quiroga", "Rossi", "Schmidt", "Tanaka",
    ]
    private static let words = [
        "amber", "bridge", "candle", "delta", "ember", "forest", "garden", "harbor", "island", "jasmine", "kernel",
        "lantern", "meadow", "north", "orchard", "paper", "quartz", "river", "stone", "timber", "umbra", "valley",
        "willow", "yarrow", "zephyr",
    ]
    private static let cities = [
        "Porto", "Lyon", "Bergen", "Graz", "Turin", "Malmö", "Gdańsk", "Bilbao", "Ghent", "Brno",
    ]
    private static let countries = ["PT", "FR", "NO", "AT", "IT", "SE", "PL", "ES", "BE", "CZ"]

    private mutating func random() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    private mutating func pick(_ list: [String]) -> String {
        list[Int(random() % UInt64(list.count))]
    }

    /// The next record, nil after the last.
    public mutating func next() -> Person? {
        guard index < end else { return nil }
        defer { index += 1 }
        let first = pick(Self.firstNames)
        let last = pick(Self.lastNames)
        let place = Int(random() % UInt64(Self.cities.count))
        let digits = String(index)
        return Person(
            id: "person-" + String(repeating: "0", count: 7 - digits.count) + digits,
            name: "\(first) \(last)",
            age: 18 + Int(random() % 70),
            email: "\(first.lowercased()).\(last.lowercased()).\(index)@example.com",
            tags: (0..<3).map { _ in pick(Self.words) },
            street: "\(1 + random() % 200) \(pick(Self.words)) \(pick(Self.words)) street",
            city: Self.cities[place],
            postcode: String(10_000 + random() % 90_000),
            country: Self.countries[place],
            score: Double(random() % 1_000_000) / 1000,
            bio: (0..<9).map { _ in pick(Self.words) }.joined(separator: " "))
    }
}
