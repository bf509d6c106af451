import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("holes in the file")
struct HoleTrackerTests {
    @Test("exactly the pages that were skipped and not written since are holes, in any order of writes")
    func anyOrder() {
        var random = SeededRandom()
        for _ in 0..<200 {
            var tracker = HoleTracker()
            var (written, end): (Set<UInt32>, UInt32) = ([], 5)
            tracker.noteEnd(end)
            for _ in 0..<40 {
                let number = UInt32.random(in: 1...60, using: &random)
                tracker.willWrite(number)
                written.insert(number)
                end = max(end, number)
            }
            let holes = (1...61).filter { tracker.contains($0) }
            #expect(holes == (6...max(6, end)).filter { $0 <= end && !written.contains($0) })
            #expect(tracker.pages.flatMap { Array($0) } == holes)
            var filled: [UInt32] = []
            while let number = tracker.next {
                tracker.fill(number)
                filled.append(number)
            }
            #expect(filled.sorted() == holes && tracker.isEmpty)
        }
    }

    @Test("none are behind the end of a file that was cut, and none are left when they are forgotten")
    func endOfHoles() {
        var tracker = HoleTracker()
        tracker.noteEnd(5)
        tracker.willWrite(10)
        tracker.willWrite(20)
        tracker.willTruncate(toPage: 7)
        #expect((1...30).filter { tracker.contains($0) } == [6, 7])
        tracker.forget()
        #expect(tracker.isEmpty && !tracker.contains(6))
    }

    @Test("the pages by which a file grows without being written are holes")
    func growth() {
        var tracker = HoleTracker()
        tracker.noteEnd(5)
        tracker.willTruncate(toPage: 8)
        tracker.willWrite(7)
        #expect((1...30).filter { tracker.contains($0) } == [6, 8])
        tracker.willWrite(10)
        #expect((1...30).filter { tracker.contains($0) } == [6, 8, 9])
    }
}
