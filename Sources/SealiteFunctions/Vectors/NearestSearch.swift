import CSQLite
import SealiteVectors

/// A search of a vector index for the documents nearest to a vector.
///
/// The lists around the centroids nearest to the vector are read, the best of their entries are compared exactly, and so are
/// the documents that aren't in lists yet. If more documents are asked for than were found, more lists are read, at last all
/// of them.
final class NearestSearch {
    /// A document and its distance.
    typealias Distant = (document: Int64, distance: Double)

    /// The document that was found last; nil after all.
    var current: Distant? { place < found.count ? found[place] : nil }

    private let connection: SearchConnection
    private let request: SearchRequest
    private let generation: SearchGeneration?
    /// The documents whose entries aren't valid any more, or aren't there yet, with their distances.
    private var unlisted: [Distant] = []
    private var changed: Set<Int64> = []
    private var found: [Distant] = []
    private var place = 0
    /// The documents of earlier rounds.
    private var given: Set<Int64> = []
    private var probes: Int
    private var count: Int
    /// A Boolean value that says whether all documents have been found.
    private var isComplete = false

    static var damage: TableFailure {
        TableFailure(SQLITE_CORRUPT, "the tables of a vector index are damaged; rebuild the index")
    }

    init(_ connection: SearchConnection, _ request: SearchRequest) throws(TableFailure) {
        (self.connection, self.request) = (connection, request)
        generation = try connection.newestGeneration(request.plan)
        (probes, count) = (request.probes == 0 ? .max : request.probes, request.count)
        try readUnlisted()
        guard let generation else {
            found = unlisted.sorted(by: Self.isNearer)
            isComplete = true
            return
        }
        try findNearest(generation)
        // Documents that were given can't be put behind nearer ones of further lists.
        while found.count < request.count, !isComplete { try findMore(generation) }
    }

    /// Moves to the next document.
    func next() throws(TableFailure) {
        place += 1
        while place >= found.count, !isComplete, let generation {
            given.formUnion(found.lazy.map(\.document))
            place = 0
            try findMore(generation)
        }
    }

    /// Looks for more documents than before in more lists.
    private func findMore(_ generation: SearchGeneration) throws(TableFailure) {
        (probes, count) = (probes.multipliedReportingOverflow(by: 4).overflow ? .max : probes * 4, count * 4)
        try findNearest(generation)
    }

    private static func isNearer(_ left: Distant, _ right: Distant) -> Bool {
        left.distance == right.distance ? left.document < right.document : left.distance < right.distance
    }

    // MARK: - Exact distances

    /// The exact distance of a stored vector; nil if it isn't one of the index's dimensions, or has none.
    private func distance(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard bytes.count == request.plan.dimensions * 4 else { return nil }
        // The bytes of a page needn't be aligned.
        let distance = unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: request.plan.dimensions) {
            floats in
            unsafe UnsafeMutableRawBufferPointer(floats).copyMemory(from: bytes)
            return unsafe request.vector.withUnsafeBufferPointer { vector in
                unsafe request.plan.metric.distance(vector, UnsafeBufferPointer(floats))
            }
        }
        // The vectors of a lazy index may be those of another program.
        return distance.isFinite ? distance : nil
    }

    /// Finds the distances of the documents that aren't in lists: all without a generation.
    private func readUnlisted() throws(TableFailure) {
        let plan = request.plan
        guard let generation else {
            return try note(InnerStatement(connection.statements, plan.vectors()))
        }
        let changes = try InnerStatement(
            connection.statements, "SELECT document FROM \(plan.tables.changes) WHERE generation = ?1",
            generation.number)
        while try changes.step() { changed.insert(changes.int64(0)) }
        try note(InnerStatement(connection.statements, plan.vectors { "\($0) > ?1" }, generation.through))
        guard !changed.isEmpty else { return }
        let rows = plan.vectors {
            "\($0) IN (SELECT document FROM \(plan.tables.changes) WHERE generation = ?1) AND \($0) <= ?2"
        }
        try note(InnerStatement(connection.statements, rows, generation.number, generation.through))
    }

    private func note(_ statement: borrowing InnerStatement) throws(TableFailure) {
        while try statement.step() {
            guard let distance = unsafe distance(statement.bytes(1)) else { continue }
            unlisted.append((statement.int64(0), distance))
        }
    }

    // MARK: - Lists

    /// Replaces the found documents by the nearest `count` in the nearest `probes` lists, and among those that aren't in
    /// lists, without those of earlier rounds.
    private func findNearest(_ generation: SearchGeneration) throws(TableFailure) {
        let lists = try nearestLists(generation)
        let query = unsafe request.vector.withUnsafeBufferPointer { unsafe generation.codec.query($0) }
        let wanted = max(count - given.count, 1)
        var exact = unlisted.filter { !given.contains($0.document) }
        let entryCount =
            probes >= listCount && (request.probes == 0 || query.hasNarrowBounds)
            ? try compare(wanted, generation, lists, query, &exact)
            : try compareCandidates(generation, lists, query, &exact)
        let isAll = probes >= listCount && count >= entryCount
        exact.sort(by: Self.isNearer)
        // Beyond the asked number the order of the rest isn't reliable, unless all were compared.
        found = isAll ? exact : Array(exact.prefix(wanted))
        isComplete = isAll
    }

    /// The number of lists of the generation, once `nearestLists` has been called.
    private var listCount = 0

    private func nearestLists(_ generation: SearchGeneration) throws(TableFailure) -> [Int64] {
        var lists: [Int64] = []
        let first = VectorTables.firstList(of: generation.number)
        let plan = request.plan
        let wanted = probes
        var total = 0
        let target = plan.metric.directions(of: request.vector, dimensions: plan.dimensions)
        unsafe try connection.withCentroids(generation, plan) { centroids in
            total = centroids.count / plan.dimensions
            unsafe target.withUnsafeBufferPointer { vector in
                lists = unsafe KMeans.nearest(min(wanted, total), to: vector, centroids).map { first + Int64($0) }
            }
        }
        listCount = total
        return lists
    }

    /// Adds the exact distances of the entries that their codes say are the nearest, more than are asked for, and returns the
    /// number of all entries of the lists.
    private func compareCandidates(
        _ generation: SearchGeneration, _ lists: [Int64], _ query: VectorQuery, _ exact: inout [Distant]
    ) throws(TableFailure) -> Int {
        let slack = request.plan.encoding.slack
        var nearest = NearestHeap(capacity: count * slack.factor + slack.constant)
        let statement = try chunkStatement()
        var distances = [Float](repeating: 0, count: generation.codec.capacity)
        var entryCount = 0
        for list in lists {
            entryCount += unsafe try scan(list, generation, statement) { entries, count in
                unsafe distances.withUnsafeMutableBufferPointer { output in
                    unsafe query.distances(entries, count: count, to: output)
                }
                for place in 0..<count where distances[place] <= nearest.worst {
                    if let document = unsafe validDocument(at: place, in: entries, generation) {
                        nearest.add(document, distances[place])
                    }
                }
            }
        }
        let vectors = try vectorStatement()
        for candidate in nearest.sorted() {
            if let distance = try exactDistance(of: candidate.document, vectors) {
                exact.append((candidate.document, distance))
            }
        }
        return entryCount
    }

    /// Adds the exact distances of the `wanted` nearest entries, and of some others, and returns the number of all entries of
    /// the lists: an entry is left out only if its code and the code's error say that it is farther than so many others.
    private func compare(
        _ wanted: Int, _ generation: SearchGeneration, _ lists: [Int64], _ query: VectorQuery,
        _ exact: inout [Distant]
    ) throws(TableFailure) -> Int {
        var nearest = NearestHeap(capacity: wanted)
        for known in exact { nearest.add(known.document, Float(known.distance).nextUp) }
        let chunks = try chunkStatement()
        let vectors = try vectorStatement()
        var distances = [Float](repeating: 0, count: generation.codec.capacity)
        var entryCount = 0
        // The nearest lists come first, so that later ones have few entries to compare.
        for list in lists {
            var candidates: [(least: Float, document: Int64)] = []
            entryCount += unsafe try scan(list, generation, chunks) { entries, count in
                unsafe distances.withUnsafeMutableBufferPointer { output in
                    unsafe query.leastDistances(entries, count: count, to: output)
                }
                for place in 0..<count where distances[place] <= nearest.worst {
                    if let document = unsafe validDocument(at: place, in: entries, generation) {
                        candidates.append((distances[place], document))
                    }
                }
            }
            candidates.sort { ($0.least, $0.document) < ($1.least, $1.document) }
            for candidate in candidates {
                guard candidate.least <= nearest.worst else { break }
                guard let distance = try exactDistance(of: candidate.document, vectors) else { continue }
                exact.append((candidate.document, distance))
                nearest.add(candidate.document, Float(distance).nextUp)
            }
        }
        return entryCount
    }

    private func chunkStatement() throws(TableFailure) -> InnerStatement {
        try InnerStatement(
            connection.statements,
            "SELECT count, entries FROM \(request.plan.tables.chunks) WHERE chunk >= ?1 AND chunk < ?2")
    }

    /// Calls `body` with each chunk of a list and the number of its entries, and returns the number of all entries.
    private func scan(
        _ list: Int64, _ generation: SearchGeneration, _ statement: borrowing InnerStatement,
        _ body: (UnsafeRawBufferPointer, Int) -> Void
    ) throws(TableFailure) -> Int {
        let chunks = VectorTables.chunks(of: list)
        statement.bind(chunks.lowerBound, at: 1)
        statement.bind(chunks.upperBound, at: 2)
        var entryCount = 0
        while try statement.step() {
            let count = Int(clamping: statement.int64(0))
            let entries = unsafe statement.bytes(1)
            guard (0...generation.codec.capacity).contains(count), entries.count == generation.codec.chunkByteCount
            else { throw Self.damage }
            entryCount += count
            unsafe body(entries, count)
        }
        statement.reset()
        return entryCount
    }

    /// Returns the document at a place of a chunk; nil if its entry isn't valid, or the document was given before.
    private func validDocument(
        at place: Int, in entries: UnsafeRawBufferPointer, _ generation: SearchGeneration
    ) -> Int64? {
        let document = unsafe generation.codec.document(at: place, in: entries)
        // Others aren't entered; in a file that somebody else made they can be.
        guard document > 0, document <= generation.through, !changed.contains(document), !given.contains(document)
        else { return nil }
        return document
    }

    private func vectorStatement() throws(TableFailure) -> InnerStatement {
        try InnerStatement(connection.statements, request.plan.vectors { "\($0) = ?1" })
    }

    /// Returns the exact distance of a document; nil if it has no vector.
    private func exactDistance(
        of document: Int64, _ statement: borrowing InnerStatement
    ) throws(TableFailure) -> Double? {
        statement.bind(document, at: 1)
        defer { statement.reset() }
        return try statement.step() ? unsafe distance(statement.bytes(1)) : nil
    }
}

extension VectorCoding {
    /// The number of candidates that a search compares exactly: `factor` for each document that it looks for, and `constant`
    /// in addition.
    fileprivate var slack: (factor: Int, constant: Int) {
        switch self {
        case .none: (1, 8)
        case .sq8: (1, 10)
        case .sq6: (2, 20)
        case .sq4: (5, 40)
        }
    }
}
