import Glibc
import SealiteFile

/// A session of a prompt: a language and an open database.
protocol PromptSession: AnyObject {
    /// The format in which rows are written.
    var format: RowFormat { get set }
    /// The commands of this session, in addition to those of every prompt.
    var commands: [PromptCommand] { get }
    /// Returns whether a text consists of complete statements, so that it can be run.
    func isComplete(_ text: String) -> Bool
    /// Runs the statements of a text until the first failure.
    func run(_ text: String) throws
    /// Returns the possible next words of a text that is being typed; nil if there are none.
    func completion(of text: String) -> Completion?
    /// Returns the text of a statement's error for people.
    func explained(_ error: ToolError, in statement: String) -> String
    /// Throws an error if ending the session now would lose changes.
    func requireEnd() throws
}

extension PromptSession {
    func explained(_ error: ToolError, in statement: String) -> String { error.text }
    func requireEnd() throws {}

    /// The prompt's command `.mode`, which selects the format in which rows are written.
    var modeCommand: PromptCommand {
        PromptCommand(name: ".mode", arguments: "table|json|csv", help: "how rows are written") { [self] in
            guard let format = RowFormat(mode: $0) else { throw ToolError.usage(".mode takes table, json or csv") }
            self.format = format
        }
    }
}
