import ArgumentParser

/// The new file, or standard output, of a command that writes content: an argument, or `-o` as in other commands.
struct OutputLocation: ParsableArguments {
    @Argument(help: "The file to make, or - for standard output.", completion: .file())
    var file: String?

    @Option(
        name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("The file to make.", valueName: "file"),
        completion: .file())
    var option: String?

    func validate() throws {
        guard file == nil || option == nil else {
            throw ValidationError("The file to make can't be given both as an argument and with -o.")
        }
        guard file != nil || option != nil else {
            throw ValidationError("Missing the file to make, or - for standard output.")
        }
    }

    /// The path of the file; `-` for standard output.
    var path: String { file ?? option ?? "-" }
}
