import ArgumentParser
import SealiteFile

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
