/// The nearest of many candidates: a heap with a maximum number of them, the farthest at the root. Of candidates at the
/// same distance the ones with smaller numbers of documents are nearer; a distance that isn't a number is infinite.
package struct NearestHeap: Sendable {
    private struct Candidate {
        var distance: Float
        var document: Int64

        func isNearer(than other: Candidate) -> Bool {
            distance < other.distance || (distance == other.distance && document < other.document)
        }
    }

    private let capacity: Int
    private var candidates: [Candidate] = []

    /// The distance of the farthest candidate, which a further one must not exceed to enter; infinite while there are
    /// fewer candidates than fit.
    package private(set) var worst = Float.infinity

    /// Creates an empty heap of at most `capacity` candidates, at least one.
    package init(capacity: Int) {
        precondition(capacity >= 1)
        self.capacity = capacity
        candidates.reserveCapacity(min(capacity, 1024))
    }

    /// The number of candidates.
    package var count: Int { candidates.count }

    /// Adds a candidate, and removes the farthest one if there are too many.
    @inline(__always)
    package mutating func add(_ document: Int64, _ distance: Float) {
        guard !(distance > worst) else { return }
        insert(Candidate(distance: distance.isNaN ? .infinity : distance, document: document))
    }

    private mutating func insert(_ candidate: Candidate) {
        if candidates.count < capacity {
            candidates.append(candidate)
            siftUp()
        } else if candidate.isNearer(than: candidates[0]) {
            siftDown(candidate, end: candidates.count)
        }
        if candidates.count == capacity { worst = candidates[0].distance }
    }

    /// Returns the candidates, the nearest first.
    package consuming func sorted() -> [(document: Int64, distance: Float)] {
        candidates.sort { $0.isNearer(than: $1) }
        return candidates.map { ($0.document, $0.distance) }
    }

    /// Moves the last candidate towards the root, past nearer ones.
    private mutating func siftUp() {
        var place = candidates.count - 1
        let candidate = candidates[place]
        while place > 0 {
            let parent = (place - 1) / 2
            guard candidates[parent].isNearer(than: candidate) else { break }
            candidates[place] = candidates[parent]
            place = parent
        }
        candidates[place] = candidate
    }

    /// Puts a candidate in the root's place and moves it away from the root, past farther ones.
    private mutating func siftDown(_ candidate: Candidate, end: Int) {
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < end else { break }
            if child + 1 < end, candidates[child].isNearer(than: candidates[child + 1]) { child += 1 }
            guard candidate.isNearer(than: candidates[child]) else { break }
            candidates[place] = candidates[child]
            place = child
        }
        candidates[place] = candidate
    }
}
