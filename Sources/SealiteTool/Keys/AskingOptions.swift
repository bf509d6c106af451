import ArgumentParser
import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance

/// The options that allow or forbid prompts.
struct AskingOptions: ParsableArguments {
    @Flag(help: "Prompt on the terminal even if standard input isn't a terminal.")
    var prompt = false

    @Flag(help: "Never prompt; fail where an answer would be needed.")
    var noInput = false

    var permission: Console.Permission { Console.Permission(prompt: prompt, noInput: noInput) }

    func validate() throws {
        guard !(prompt && noInput) else { throw ValidationError("--prompt and --no-input can't be given together.") }
    }
}
