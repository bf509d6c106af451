import SealiteFile
import Synchronization

/// The files that killed commands left in a folder under temporary names, which the next command in the folder names. They
/// are removed only if the user agrees.
///
/// A killed command leaves such a file only where the file system has no files without a name; see `NewFile`.
enum Leftovers {
    private static let told = Mutex<Set<String>>([])

    /// Names the files that killed commands left in the folder of a path, once in a process; on a terminal, offers to
    /// remove them.
    static func tell(beside path: String) {
        guard told.withLock({ $0.insert(FilePath.folder(of: path)).inserted }) else { return }
        for leftover in AbandonedFiles.leftovers(beside: path) {
            let what =
                "\"\(leftover.path)\", \(sizeText(leftover.byteCount)), was left by a command that was killed, and no process uses it"
            guard mayAsk else {
                Console.warn("leftover", what + ": remove it")
                continue
            }
            // A terminal that is gone is as good as "no".
            guard (try? Console.confirms(what + ". Remove it?")) == true else { continue }
            if !AbandonedFiles.remove(leftover.path) {
                Console.warn("leftover", "\"\(leftover.path)\" couldn't be removed")
            }
        }
    }

    /// A Boolean value that says whether a question can be asked: on a terminal, without `--json` and `--no-input`.
    private static var mayAsk: Bool {
        let options = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        return Console.inputIsTerminal && Console.notesGoToTerminal && !options.contains("--json")
            && !options.contains("--no-input")
    }
}
