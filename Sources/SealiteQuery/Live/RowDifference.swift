/// The difference between two lists of rows, by positions from 0. Rows are identified by keys that are unique in each
/// list.
package struct RowDifference {
    /// A row that is in both lists.
    package struct Pair: Sendable {
        /// The row's position in the old list, from 0.
        package let from: Int
        /// The row's position in the new list, from 0.
        package let to: Int
    }

    /// The positions in the old list of the rows that the new list doesn't have, ascending.
    package let removed: [Int]
    /// The positions in the new list of the rows that the old list doesn't have, ascending.
    package let inserted: [Int]
    /// The rows that moved, in the order of their new positions. Those that didn't move are a longest sequence of rows,
    /// of those in both lists, whose order didn't change.
    package let moved: [Pair]
    /// The rows in both lists whose content changed, moved or not, in the order of their new positions.
    package let updated: [Pair]

    /// Compares two lists of rows, each given by the rows' keys and their contents, for which hashes may stand.
    package init<Key: Hashable, Content: Equatable>(
        from old: (keys: [Key], contents: [Content]), to new: (keys: [Key], contents: [Content])
    ) {
        assert(
            old.keys.count == old.contents.count && new.keys.count == new.contents.count, "a row has a key and content")
        let oldPlaces = Dictionary(zip(old.keys, old.keys.indices)) { first, _ in first }
        var (inserted, kept) = ([Int](), [Pair]())
        for (place, key) in new.keys.enumerated() {
            if let from = oldPlaces[key] { kept.append(Pair(from: from, to: place)) } else { inserted.append(place) }
        }
        let stayed = Set(Self.longestIncreasing(kept.map(\.from)))
        let keptPlaces = Set(kept.map(\.from))
        removed = old.keys.indices.filter { !keptPlaces.contains($0) }
        self.inserted = inserted
        moved = kept.indices.filter { !stayed.contains($0) }.map { kept[$0] }
        updated = kept.filter { old.contents[$0.from] != new.contents[$0.to] }
        assert(removed.count + kept.count == old.keys.count, "keys are unique in each list")
        assert(stayed.count + moved.count == kept.count)
    }

    /// Returns the positions in `numbers` of a longest increasing subsequence. The numbers must be distinct.
    static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // `ends` has, for each length, the position of the least number with which a subsequence of this length ends;
        // `before` has the predecessor of each position.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var run: [Int] = []
        var place = ends.last ?? -1
        while place >= 0 {
            run.append(place)
            place = before[place]
        }
        assert(run.count == ends.count, "the predecessors lead through each length")
        return run.reversed()
    }
}
