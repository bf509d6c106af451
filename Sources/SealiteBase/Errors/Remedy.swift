internal import Synchronization

/// The next step after an error, in the words of the program that shows the error.
///
/// A library doesn't know which commands and options a program has. It lists the next steps of its errors in an
/// enumeration, with a text for each, and the command line replaces the text with the command that does it
/// (``RemedyWording/use(_:)``).
package protocol Remedy: Sendable {
    /// The remedy in general words, which name no command of a program: for programs that set no wording of their own.
    var text: String { get }
}

extension Remedy {
    /// The hint of an error, in the wording that the program set with ``RemedyWording/use(_:)``; ``text`` if it set
    /// none.
    package var hint: String { RemedyWording.current?(self) ?? text }
}

/// The wording of the program for all remedies.
package enum RemedyWording {
    private static let setting = Mutex<(@Sendable (any Remedy) -> String)?>(nil)

    fileprivate static var current: (@Sendable (any Remedy) -> String)? { setting.withLock { $0 } }

    /// Sets the wording of the program for all remedies.
    package static func use(_ wording: @escaping @Sendable (any Remedy) -> String) { setting.withLock { $0 = wording } }
}
