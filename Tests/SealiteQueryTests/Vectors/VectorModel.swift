import Foundation
import SealiteDatabase
import SealiteTestSupport

@testable import SealiteQuery

/// Documents with vectors, random changes of them, and random searches whose results are compared with those of loops over the vectors
/// in memory, which share nothing with the index.
///
/// Coordinates are multiples of a quarter, so that sums of products are exact in float32 and many distances are equal.
struct VectorModel {
    /// A document that has a vector.
    private struct Member {
        var vector: [Float]
        var group: Int
        /// The place among all documents in the order of their creation.
        var number: Int
    }

    /// A search, and what the query says of it.
    private struct Search {
        var vector: [Float]
        var limit: Int
        var offset: Int
        var group: Int?
        var isByIndex = false
        var bound: Double?
        var includesBound = false
        /// The number of lists; nil for that of the index, 0 for all.
        var lists: Int?
    }

    /// A row of a result.
    private struct Row {
        var id: String
        var distance: Double
    }

    let metric: DistanceMetric
    let encoding: VectorEncoding

    private let test: TestDatabase
    private let dimensions: Int
    private var random: SeededRandom
    private var members: [String: Member] = [:]
    /// The numbers of all documents, also of deleted ones, which keep theirs.
    private var numbers: [String: Int] = [:]
    private var created = 0
    /// The parts of the true nearest documents that inexact searches have found.
    private(set) var recalls: [Double] = []
    /// How many searches were compared exactly.
    private(set) var exactCount = 0
    /// How many searches read lists.
    private(set) var listedCount = 0

    static let centroids = 4

    init(_ metric: DistanceMetric, _ encoding: VectorEncoding, seed: UInt64) throws {
        (self.metric, self.encoding) = (metric, encoding)
        test = try TestDatabase()
        random = SeededRandom(seed: seed)
        dimensions = [3, 7, 16, 33][random.below(4)]
        let collection = try test.collection
        try collection.createIndex(withName: "keys", config: ValueIndexConfiguration(["key"]))
        var config = VectorIndexConfiguration(
            expression: "v", dimensions: UInt32(dimensions), centroids: UInt32(Self.centroids))
        (config.metric, config.encoding) = (metric, encoding)
        config.numProbes = 2
        // Sometimes the index is there before the documents, and is trained by a search.
        let isEarly = random.below(2) == 0
        if isEarly { try collection.createIndex(withName: "near", config: config) }
        try test.database.write { _ in for _ in 0..<220 { try change() } }
        if !isEarly { try collection.createIndex(withName: "near", config: config) }
    }

    // MARK: - Changes

    private mutating func vector() -> [Float] {
        // Near one of few places, so that there are equal ones; rarely only zeros.
        guard random.below(40) > 0 else { return [Float](repeating: 0, count: dimensions) }
        var place = SeededRandom(seed: UInt64(random.below(6)))
        return (0..<dimensions).map { _ in
            Float(place.below(13) - 6) / 4 + (random.below(3) == 0 ? Float(random.below(5) - 2) / 4 : 0)
        }
    }

    private mutating func value(_ vector: [Float]) -> SealiteDatabase.Value {
        guard random.below(3) == 0 else { return .array(ArrayObject(vector.map { .number(Number(Double($0))) })) }
        let bytes = vector.flatMap { float in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: float.bitPattern >> $0) } }
        return .string(Data(bytes).base64EncodedString())
    }

    /// Changes some documents, and sometimes has all of them entered into the lists.
    mutating func step() throws {
        struct Stop: Error {}
        let (before, numbersBefore) = (members, numbers)
        let isStopped = random.below(6) == 0
        do {
            try test.database.write { _ in
                for _ in 0..<(1 + random.below(12)) { try change() }
                if isStopped { throw Stop() }
            }
        } catch is Stop { (members, numbers) = (before, numbersBefore) }
        if random.below(4) == 0 { try test.collection.completeVectorIndex("near") }
    }

    private mutating func change() throws {
        let collection = try test.collection
        let id = "d\(random.below(300))"
        let existing = try collection.document(id: id)
        switch random.below(10) {
        case 0 where existing != nil:
            try collection.delete(id: id)
            members[id] = nil
            return
        case 1 where existing != nil:
            try collection.purge(id: id)
            (members[id], numbers[id]) = (nil, nil)
            return
        default: break
        }
        let document = existing?.toMutable() ?? MutableDocument(id: id)
        let (vector, group) = (vector(), random.below(5))
        let hasVector = random.below(12) > 0
        let other: [SealiteDatabase.Value] = [.null, .string("none"), .array(ArrayObject([.number(Number(1.0))]))]
        document.setValue(hasVector ? value(vector) : other[random.below(3)], forKey: "v")
        document.setInt(group, forKey: "group").setInt(group, forKey: "key")
        try collection.save(document: document)
        if numbers[id] == nil {
            created += 1
            numbers[id] = created
        }
        let isInIndex = hasVector && (metric != .cosine || vector.contains { $0 != 0 })
        members[id] = isInIndex ? Member(vector: vector, group: group, number: numbers[id] ?? 0) : nil
    }

    // MARK: - Searches

    /// Searches, and returns what is wrong with the result; nil if nothing is.
    mutating func search() throws -> String? {
        let search = randomSearch()
        let found = try rows(search)
        if try (test.collection.vectorIndexState("near")?.listed ?? 0) > 0 { listedCount += 1 }
        let all = nearest(search)
        let expected = Array(all.dropFirst(search.offset).prefix(search.limit))
        guard let flaw = flaw(search, found, expected) else {
            if !isExact(search), !expected.isEmpty {
                let last = expected[expected.count - 1].distance + tolerance
                recalls.append(Double(found.count { $0.distance <= last }) / Double(expected.count))
            }
            return nil
        }
        return "\(flaw), \(search), \(members.count) vectors\nfound \(found)\nexpected \(expected)"
    }

    private mutating func randomSearch() -> Search {
        var vector = vector()
        if !vector.contains(where: { $0 != 0 }) { vector[0] = 1 }
        var search = Search(
            vector: vector, limit: [1, 3, 10, 10, 40][random.below(5)],
            offset: random.below(3) == 0 ? random.below(30) : 0)
        if random.below(3) == 0 { (search.group, search.isByIndex) = (random.below(5), random.below(2) == 0) }
        search.lists = [nil, 0, 0, 1, 3][random.below(5)]
        if random.below(4) == 0 {
            let all = nearest(search)
            let place = random.below(max(all.count / 2, 1))
            // Of distances that aren't exact, a bound between two of them.
            if place + 1 < all.count, !areDistancesExact {
                let (low, high) = (all[place].distance, all[place + 1].distance)
                if high - low > 1e-4 { search.bound = (low + high) / 2 }
            } else if place < all.count {
                search.bound = all[place].distance
                search.includesBound = random.below(2) == 0
            }
        }
        return search
    }

    private func rows(_ search: Search) throws -> [Row] {
        let options =
            switch search.lists {
            case nil: ""
            case 0?: ", NULL, NULL, TRUE"
            case let count?: ", \"\(Self.name(metric))\", \(count)"
            }
        let call = "APPROX_VECTOR_DISTANCE(v, $vector\(options))"
        var conditions: [String] = []
        if let group = search.group { conditions.append("\(search.isByIndex ? "key" : "`group`") = \(group)") }
        if search.bound != nil { conditions.append("\(call) \(search.includesBound ? "<=" : "<") $bound") }
        let text: String = """
            SELECT META().id, \(call) AS d FROM _ \(conditions.isEmpty ? "" : "WHERE ")\
            \(conditions.joined(separator: " AND ")) ORDER BY \(call) LIMIT \(search.limit) OFFSET \(search.offset)
            """
        let query = try test.database.createQuery(text)
        let parameters = Parameters().setValue(
            .array(ArrayObject(search.vector.map { .number(Number(Double($0))) })), forName: "vector")
        query.parameters = search.bound.map { parameters.setDouble($0, forName: "bound") } ?? parameters
        return try query.execute().map { Row(id: $0.string(forKey: "id") ?? "", distance: $0.double(forKey: "d")) }
    }

    private static func name(_ metric: DistanceMetric) -> String {
        switch metric {
        case .euclideanSquared: "L2_SQUARED"
        case .euclidean: "euclidean"
        case .cosine: "COSINE"
        case .dot: "dot"
        }
    }

    // MARK: - The slow evaluator

    /// A Boolean value that says whether the distances of these coordinates have no error of rounding.
    private var areDistancesExact: Bool { metric != .cosine }
    private var tolerance: Double { areDistancesExact ? 0 : 1e-5 }

    private func distance(_ left: [Float], _ right: [Float]) -> Double {
        var (product, squares, leftSquares, rightSquares) = (0.0, 0.0, 0.0, 0.0)
        for index in 0..<left.count {
            let (a, b) = (Double(left[index]), Double(right[index]))
            product += a * b
            squares += (a - b) * (a - b)
            leftSquares += a * a
            rightSquares += b * b
        }
        switch metric {
        case .euclideanSquared: return squares
        case .euclidean: return squares.squareRoot()
        case .dot: return -product
        case .cosine: return 1 - product / (leftSquares * rightSquares).squareRoot()
        }
    }

    /// All documents that fulfil the conditions, the nearest first, of equally near ones that which was created first.
    private func nearest(_ search: Search) -> [Row] {
        var found: [(row: Row, number: Int)] = []
        for (id, member) in members where search.group == nil || search.group == member.group {
            let row = Row(id: id, distance: distance(member.vector, search.vector))
            if let bound = search.bound, search.includesBound ? row.distance > bound : row.distance >= bound {
                continue
            }
            found.append((row, member.number))
        }
        return found.sorted { ($0.row.distance, $0.number) < ($1.row.distance, $1.number) }.map(\.row)
    }

    /// Returns whether a search must find exactly the nearest documents.
    private func isExact(_ search: Search) -> Bool {
        // A search that comes through all lists by their number takes the best candidates of codes with fewer bits than 8.
        let hasNarrowBounds = [.none(), .scalarQuantizer(type: .SQ8)].contains(encoding)
        return search.isByIndex || search.lists == 0 || hasNarrowBounds && (search.lists ?? 2) >= Self.centroids
    }

    private mutating func flaw(_ search: Search, _ found: [Row], _ expected: [Row]) -> String? {
        var last: Row?
        for row in found {
            guard let member = members[row.id], search.group == nil || search.group == member.group else {
                return "\(row.id) shouldn't be found"
            }
            guard abs(distance(member.vector, search.vector) - row.distance) <= tolerance else {
                return "the distance of \(row.id) is wrong"
            }
            if let last {
                // Lists that are read later may have documents that are as near as those of earlier ones.
                let isOrdered =
                    last.distance < row.distance
                    || last.distance == row.distance
                        && (!isExact(search) || (numbers[last.id] ?? 0) < (numbers[row.id] ?? 0))
                guard isOrdered else { return "\(row.id) comes after \(last.id)" }
            }
            last = row
        }
        // A bound may end a search of some lists before its rows were found.
        let isComplete = isExact(search) || search.bound == nil
        guard isComplete ? found.count == expected.count : found.count <= expected.count else {
            return "\(found.count) rows"
        }
        guard isExact(search) else { return nil }
        exactCount += 1
        if areDistancesExact { return found.map(\.id) == expected.map(\.id) ? nil : "not the nearest documents" }
        for (one, other) in zip(found, expected) where abs(one.distance - other.distance) > tolerance {
            return "not the nearest documents"
        }
        return nil
    }
}
