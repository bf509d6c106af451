import Foundation
import Synchronization
import Testing

@testable import SealiteTool

/// The time of a step whose extent isn't known.
@Suite("elapsed time on a terminal")
struct ElapsedTimeTests {
    @Test("a step that takes longer than the interval has a line, which is removed at its end")
    func shown() {
        let written = Mutex<[String]>([])
        let first = DispatchSemaphore(value: 0)
        let result = ElapsedTime.shown(
            "updating", every: 0.001,
            write: { text in
                written.withLock { $0.append(text) }
                first.signal()
            }, { first.wait(timeout: .now() + 60) == .success })
        #expect(result)
        let lines = written.withLock { $0 }
        #expect(lines.first == "\r\u{1B}[Kupdating, 0 s" && lines.last == "\r\u{1B}[K", "\(lines)")
    }

    @Test("a short step writes nothing, and its error is passed on")
    func short() {
        struct Failure: Error {}
        let written = Mutex(0)
        #expect(throws: Failure.self) {
            try ElapsedTime.shown("updating", every: 3600, write: { _ in written.withLock { $0 += 1 } }) {
                throw Failure()
            }
        }
        #expect(written.withLock { $0 } == 0)
    }

    @Test(
        "a step whose extent is known shows how much is done, and one whose end isn't known what it has done",
        arguments: [
            (
                ElapsedTime.Extent(completed: 250, total: 1000, unit: .documents),
                "\r\u{1B}[Kupdating    [#######.......................]  25 %, 250 of 1000 documents, "
            ),
            (
                ElapsedTime.Extent(completed: 1 << 20, total: 1 << 21, unit: .bytes),
                "\r\u{1B}[Kupdating    [###############...............]  50 %, 1.0 of 2.0 MiB, "
            ), (ElapsedTime.Extent(completed: 1, unit: .documents), "\r\u{1B}[Kupdating, 0 s, 1 document"),
        ])
    func extent(extent: ElapsedTime.Extent, line: String) {
        let written = Mutex<[String]>([])
        let first = DispatchSemaphore(value: 0)
        ElapsedTime.shown(
            "updating", every: 0.001, extent: { extent },
            write: { text in
                written.withLock { $0.append(text) }
                first.signal()
            }, { _ = first.wait(timeout: .now() + 60) })
        let lines = written.withLock { $0 }
        #expect(lines.first?.hasPrefix(line) == true && lines.last == "\r\u{1B}[K", "\(lines)")
    }
}
