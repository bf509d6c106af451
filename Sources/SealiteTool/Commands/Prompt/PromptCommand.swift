import Glibc
import SealiteFile

/// A command of a prompt, such as `.tables`.
struct PromptCommand {
    let name: String
    /// The arguments, for the help; empty if there are none.
    var arguments = ""
    let help: String
    /// Runs the command with the text after its name.
    let run: (String) throws -> Void
}
