import Testing

@testable import SealiteRevisions

@Suite("version vectors")
struct VersionVectorTests {
    @Test("who knows the other's version is newer, and who knows or doesn't know each other conflicts")
    func order() {
        for (left, right, order) in [
            ("5@a", "5@a", VersionOrder.same), ("5@a;3@b", "5@a", .same), ("6@a", "5@a", .newer),
            ("5@a", "6@a", .older),
            ("6@b;5@a", "5@a", .newer), ("6@b;7@a", "5@a;1@c", .newer), ("6@b;4@a", "5@a", .conflicting),
            ("6@b", "5@a", .conflicting), ("6@b;5@a", "5@a;6@b", .conflicting), ("9@c,6@b,5@a;", "6@b;4@a", .newer),
            ("5@a", "9@c,6@b,5@a;", .older), ("5@a;9@b", "7@b;5@a", .conflicting),
        ] {
            #expect(vector(left).order(to: vector(right)) == order, "\(left) \(right)")
            #expect(vector(right).order(to: vector(left)) == order.reversed, "\(right) \(left)")
        }
    }

    @Test("a change puts its version first, and what was current or merged among the previous ones")
    func changes() {
        for (text, version, changed) in [
            ("5@a", "6@a", "6@a"), ("5@a", "6@b", "6@b; 5@a"), ("5@a;4@b", "6@b", "6@b; 5@a"),
            ("9@a,8@a,7@b;3@c", "a@c", "a@c; 9@a, 7@b"), ("9@a,8@a,7@b;3@c", "a@a", "a@a; 7@b, 3@c"),
        ] {
            #expect(vector(text).changed(to: vector(version).current) == vector(changed), "\(text) \(version)")
        }
    }

    @Test("a merge names both current versions, and the latest of all else")
    func merges() {
        for (left, right, version, merged) in [
            ("6@m;2@a,1@d,2@c", "4@a;1@d,2@c", "7@m", "7@m, 6@m, 4@a; 2@c, 1@d"),
            ("5@a", "4@b", "7@m", "7@m, 5@a, 4@b;"),
            ("4@a", "3@b", "7@b", "7@b, 4@a, 3@b;"),
            // Each had taken its own in place of the other's.
            ("6@m;4@a", "4@a;6@m", "7@m", "7@m, 6@m, 4@a;"),
            // Of the same source there is no conflict; what comes of it is a vector all the same.
            ("5@a;1@b", "4@a;2@b", "6@a", "6@a; 2@b"), ("5@a;1@b", "4@a;2@b", "6@m", "6@m; 5@a, 2@b"),
            ("9@m,8@m,7@b;3@c", "5@c;2@m", "a@m", "a@m, 9@m, 5@c; 7@b"),
        ] {
            let result = vector(left).merged(with: vector(right), to: vector(version).current)
            #expect(result == vector(merged), "\(left) \(right)")
            #expect(vector(right).merged(with: vector(left), to: vector(version).current) == result, "\(left) \(right)")
            #expect(result.order(to: vector(left)) == .newer && result.order(to: vector(right)) == .newer)
        }
    }

    @Test("a version that is kept in place of another keeps its id, and knows all that the other knew")
    func absorbs() throws {
        for (kept, dropped, result) in [
            ("6@m;2@a,1@d,2@c", "4@a;1@d,2@c", "6@m; 4@a, 2@c, 1@d"),
            ("4@a;1@d,2@c", "6@m;2@a,1@d", "4@a; 6@m, 2@c, 1@d"),
            // A merge stays one while nothing later is known of what it was made of.
            ("6@m,5@m,2@a;1@d,2@c", "4@d;2@c", "6@m, 5@m, 2@a; 4@d, 2@c"),
            ("4@d;2@c", "6@m,5@m,2@a;1@d,2@c", "4@d; 6@m, 2@a, 2@c"),
            ("6@m,5@m,2@a;1@d", "4@d;3@a", "6@m; 4@d, 3@a"), ("6@m,5@b,2@a;", "4@d;3@a", "6@m; 5@b, 4@d, 3@a"),
        ] {
            #expect(vector(kept).absorbing(vector(dropped)) == vector(result), "\(kept) \(dropped)")
        }
        // The other side knows a later version of the source: this one can't stand for it.
        #expect(vector("6@m").absorbing(vector("4@a;7@m")) == nil)
        // Each keeps its own: they conflict still, and a merge ends it.
        let (left, right) = (vector("6@m"), vector("4@a"))
        let (ours, theirs) = try (#require(left.absorbing(right)), #require(right.absorbing(left)))
        #expect(ours.order(to: theirs) == .conflicting)
        #expect(ours.absorbing(theirs) == ours)
        #expect(ours.merged(with: theirs, to: vector("7@m").current).order(to: theirs) == .newer)
    }

    @Test("a vector that grows too long loses the earliest versions, and never becomes newer by it")
    func bounds() {
        var long = VersionVector(SourceVersion(time: .earliest, source: source("a")))
        var states = [long]
        for number in 1...200 as ClosedRange<UInt64> {
            long = long.changed(to: version(HybridTime.earliest.rawValue + number, source(numbered: Int(number))))
            states.append(long)
        }
        #expect(long.previous.count == VersionVector.maximumPreviousCount)
        for (index, state) in states.enumerated() {
            let expected: VersionOrder = index == 200 ? .same : index >= 150 ? .newer : .conflicting
            if long.order(to: state) != expected { Issue.record("state \(index): \(long.order(to: state))") }
        }
        let many = (1...12).map { version($0, source(numbered: Int($0))) }
        let merge = VersionVector(vector("f@z").current, sorting: many, []).bounded()
        #expect(merge.merged.map(\.time.rawValue) == [12, 11, 10, 9, 8, 7, 6, 5])
        #expect(merge.previous.map(\.time.rawValue) == [4, 3, 2, 1])
    }

    @Test("the same merge made twice is told by what was merged")
    func sameMerges() {
        #expect(vector("9@a,6@b,5@c;").isSameMerge(as: vector("8@d,5@c,6@b;1@a")))
        #expect(!vector("9@a,6@b,5@c;").isSameMerge(as: vector("8@d,5@c,7@b;1@a")))
        #expect(!vector("9@a").isSameMerge(as: vector("8@d")))
    }
}
