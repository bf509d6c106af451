import SealiteFile
import Synchronization

/// The first signal that arrived while a statement or another long operation ran.
final class StoppingSignal: Sendable {
    private let first = Mutex<CInt?>(nil)

    var number: CInt? { first.withLock { $0 } }

    /// Records a signal.
    ///
    /// - Returns: true for the first signal; false for a second one, so that it ends the process at once.
    func note(_ number: CInt) -> Bool {
        first.withLock { first in
            guard first == nil else { return false }
            first = number
            return true
        }
    }
}
