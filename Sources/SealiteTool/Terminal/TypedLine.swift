import Glibc

/// A line that was typed at a prompt, or the event that ended it.
enum TypedLine: Equatable {
    case text(String)
    /// The line was discarded by ^C.
    case givenUp
    /// The end of input: ^D on an empty line, or a terminal that was closed.
    case end
}
