import ArgumentParser
import Glibc
import SealiteFile

/// The options that name a key, and the slot that it opens.
struct KeySourceOptions: ParsableArguments {
    @OptionGroup(title: HelpSections.keys) var own: OwnKeyOptions

    @Option("file", help: "Read the recovery key, as it was printed, from this file.")
    var recoveryKeyFile: String?

    @Option("slot", help: "Unlock with this key slot only: its number or its label in 'sealite key list'.")
    var unlockSlot: SlotName?

    @Option("bytes", help: "The maximum memory for unlocking a passphrase slot, such as 512M or 2G. Default: 1G.")
    var maxKdfMemory: ByteCount?

    func validate() throws {
        try ValidationError.requireOne(own.given + [("--recovery-key-file", recoveryKeyFile != nil)])
    }

    /// The source that the command line names; nil if there is none.
    var onCommandLine: KeySource? { own.source ?? recoveryKeyFile.map { KeySource(.recovery, $0) } }

    /// A Boolean value that says whether the key is read from standard input, which then contains nothing else.
    var readsStandardInput: Bool {
        KeySource.readsStandardInput(own.passphraseFd, own.passphraseFile, own.keyFile, recoveryKeyFile)
    }
}

/// The options that name a passphrase or a raw key, of a database that exists or is created.
struct OwnKeyOptions: ParsableArguments {
    @Option(
        "file", name: [.customShort("p"), .long],
        help: "Read the passphrase from this file, without a trailing line end.")
    var passphraseFile: String?

    @Option("n", help: "Read the passphrase from this open file descriptor.")
    var passphraseFd: Int32?

    @Option("command", help: "Read the passphrase from the output of this shell command, such as 'pass show notes'.")
    var passphraseCommand: String?

    @Option(
        "file", name: [.customShort("k"), .long],
        help: "Read the raw key from this file, which 'sealite keygen' makes: 32 bytes, or 64 hex digits.")
    var keyFile: String?

    /// The options, and whether each was given.
    var given: [(name: String, isGiven: Bool)] {
        [
            ("--passphrase-file", passphraseFile != nil), ("--passphrase-fd", passphraseFd != nil),
            ("--passphrase-command", passphraseCommand != nil), ("--key-file", keyFile != nil),
        ]
    }

    /// The source that the options name; nil if there is none.
    var source: KeySource? {
        KeySource.named(passphraseFile: passphraseFile, passphraseFd: passphraseFd, keyFile: keyFile)
            ?? passphraseCommand.map { KeySource(command: $0) }
    }
}

/// A key slot on the command line: its number or its label, as 'sealite key list' shows them.
struct SlotName: ExpressibleByArgument {
    private let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }

    /// Returns the number of the slot in a file. A number is returned even if no slot has it; the library refuses such
    /// a number.
    ///
    /// - Throws: a `ToolError` for invalid usage if no slot has the label.
    func number(in slots: [SlotInfo], of path: String) throws(ToolError) -> Int {
        if let number = Int(text) { return number }
        guard let slot = slots.first(where: { $0.label == text }) else {
            throw .usage(
                "\"\(path)\" has no key slot with the label \"\(text)\"",
                hint: "'sealite key list' shows the numbers and labels of its slots")
        }
        return slot.number
    }

    /// Returns the slot in a file. Throws an error if there is none.
    func slot(in slots: [SlotInfo], of path: String) throws -> SlotInfo {
        let number = try number(in: slots, of: path)
        guard let slot = slots.first(where: { $0.number == number }) else { throw SealedFileError.noSlot(number) }
        return slot
    }
}
