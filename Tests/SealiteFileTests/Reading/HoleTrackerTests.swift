import Testing

@testable import SealiteFile

@Suite("holes in the file")
struct HoleTrackerTests {
    @Test("exactly the pages that were skipped and not written since are holes, in any order of writes")
    func anyOrder() {
        var random = SystemRandomNumberGenerator()
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
            let holes = tracker.takeAll().flatMap { Array($0) }
            #expect(Set(holes) == Set((6...max(6, end)).filter { $0 <= end && !written.contains($0) }))
            #expect(holes.count == Set(holes).count)
            #expect(tracker.isEmpty)
        }
    }
}
