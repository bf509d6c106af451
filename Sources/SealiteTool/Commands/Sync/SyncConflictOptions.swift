import ArgumentParser
import Foundation
import SealiteDatabase
import SealiteReplicator

/// The resolution of conflicts in `sealite sync`, for documents that were changed on both sides.
struct SyncConflictOptions: ParsableArguments {
    /// The sides whose document can be kept.
    enum Winner: String, CaseIterable, ExpressibleByArgument {
        case `default`
        case local
        case remote
    }

    @Option(
        "side", name: .customLong("on-conflict"),
        help:
            "Which side's document counts where both changed it; by default the one with more changes, either one where these are equal, and a deletion before all. The other side's content is discarded: --conflict-command can keep it."
    )
    var winner = Winner.default

    @Option(
        "command", name: .customLong("conflict-command"),
        help:
            "Have this shell command decide. It reads an object with id, local and remote, null for a deleted document, and writes the "
            + "document, or null to delete it.")
    var command: String?

    func validate() throws {
        try ValidationError.requireOne(("--on-conflict", winner != .default), ("--conflict-command", command != nil))
    }

    var resolver: any ConflictResolver {
        if let command { return CommandResolver(command: command) }
        switch winner {
        case .default: return DefaultConflictResolver()
        case .local, .remote: return SideResolver(resolution: winner == .local ? .local : .remote)
        }
    }
}

/// Resolves all conflicts in favour of one side.
private struct SideResolver: ConflictResolver {
    let resolution: Resolution

    func resolve(_ conflict: Conflict) async throws -> Resolution { resolution }
}

/// Resolves conflicts with a shell command.
private struct CommandResolver: ConflictResolver {
    /// The error of a shell command that was ended by a signal or exited with another status than 0.
    struct ConflictCommandFailure: Error {}

    let command: String

    func resolve(_ conflict: Conflict) async throws -> Resolution {
        let question = (["id": conflict.documentID] as JSONValue).encoded.dropLast()
        let local = try conflict.localDocument?.toJSON() ?? "null"
        let remote = try conflict.remoteDocument?.toJSON() ?? "null"
        let answer = try ask("\(question),\"local\":\(local),\"remote\":\(remote)}\n")
        if answer == "null" { return .deleted }
        return .merged(try MutableDocument(id: conflict.documentID, json: answer))
    }

    private func ask(_ question: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // A command that exits before it has read all its input must not end this process by SIGPIPE.
        let writer = Thread {
            try? input.fileHandleForWriting.write(contentsOf: Data(question.utf8));
            try? input.fileHandleForWriting.close()
        }
        writer.start()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ConflictCommandFailure()
        }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
