import Glibc
import SealiteFile

/// An error of a command that a signal stopped and that has cleaned up; the process is then to end by the signal.
struct EndedBySignal: Error {
    let number: CInt
}
