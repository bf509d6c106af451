import ArgumentParser
import Foundation
import Testing

@testable import SealiteTool

/// What the help of commands says, read as a user reads it.
@Suite("help texts")
struct HelpTextTests {
    @Test(
        "an option says what its value is, and has one meaning in all commands", arguments: SealiteCommand.leafCommands)
    func values(words: [String]) throws {
        let help = try Self.help(words)
        #expect(!help.contains("\(Int.max)"))
        for option in ["--passphrase-file", "--key-file", "--recovery-key-file", "--ca", "--vault"] {
            #expect(!help.contains("\(option) <\(option.dropFirst(2))>"), "\(words): \(option)")
        }
        #expect(help.contains("  --version               Show the version."), "\(words)")
        for phrase in ["May be given again", "give the option once", "shall be"] {
            #expect(!help.contains(phrase), "\(words): \(phrase)")
        }
    }

    @Test("--help names --help-keys only where that shows keys", arguments: SealiteCommand.leafCommands)
    func sections(words: [String]) throws {
        let help = try Self.help(words)
        let folded = HelpSections.folded(help)
        let keys = HelpSections.section(HelpSections.keys, of: help)
        #expect(folded.contains("--help-keys") == (keys != nil), "\(words)")
        if folded.contains("Keys: -k") { #expect(keys?.contains("-k, --key-file") == true, "\(words)") }
        // The options about prompts are shown in one place, and in none twice.
        let shown = folded + (keys ?? "")
        #expect(shown.components(separatedBy: "--no-input ").count <= 2, "\(words)")
        #expect(!help.contains("--no-input") || shown.contains("--no-input"), "\(words)")
    }

    @Test("the example of each command is a valid command line", arguments: SealiteCommand.leafCommands)
    func examples(words: [String]) throws {
        let help = try Self.help(words)
        let paragraphs = help.components(separatedBy: "\n\n")
        let examples = paragraphs.flatMap { paragraph -> [String] in
            paragraph.replacing("\n", with: " ").components(separatedBy: "Example: ").dropFirst().map { $0 }
        }
        #expect(!examples.isEmpty, "\(words)")
        for example in examples {
            // What follows a redirection is the shell's.
            let command = example.split(separator: #/ [<>] /#).first.map(String.init) ?? ""
            let arguments = Self.shellWords(command).dropFirst()
            #expect(throws: Never.self, "\(example)") { _ = try SealiteCommand.parseAsRoot(Array(arguments)) }
        }
    }

    @Test("a section that a command hasn't is an error that says where to look")
    func noSection() throws {
        let place = try Workplace()
        let root = try place.sealite("--help-keys")
        #expect(root.status == 64 && root.err.contains("name a command, such as 'sealite info --help-keys'"), "\(root)")
        let list = try place.sealite("credential", "list", "--help-keys")
        #expect(list.status == 64 && list.err.contains("see 'sealite credential list --help'"), "\(list)")
        let create = try place.sealite("create", "--help-keys")
        #expect(create.status == 0 && create.out.hasPrefix("The first of these that is given is the key:"), "\(create)")
        #expect(!create.out.contains("credential store"))
        #expect(try place.sealite("create", "--help").out.contains("--no-input"))
    }

    @Test("the text of the configuration file fits a terminal of 80 columns")
    func configuration() throws {
        let text = try Workplace().sealite("help", "config", environment: ["HOME": "/home/ana"]).out
        for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    /// Returns the unfolded help of a command.
    private static func help(_ words: [String]) throws -> String {
        do {
            var command = try SealiteCommand.parseAsRoot(words + ["--help"])
            try command.run()
        } catch  where SealiteCommand.exitCode(for: error) == .success {
            return SealiteCommand.fullMessage(for: error)
        }
        return ""
    }

    /// Splits a command at white space outside single and double quotes.
    private static func shellWords(_ text: String) -> [String] {
        var (words, word, quote) = ([String](), "", Character?.none)
        for character in text {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character.isWhitespace {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
