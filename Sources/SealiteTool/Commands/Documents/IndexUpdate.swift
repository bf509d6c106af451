import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteQuery

extension IndexCommand {
    /// The command `sealite index update`, which has a program compute the vectors of a lazy vector index.
    struct Update: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Have a program compute the vectors that a lazy vector index needs.",
            discussion: """
                The index was made with --vector EXPRESSION --lazy. The value of the expression of each new or changed document \
                leaves Sealite and goes to the program, unencrypted: take one that you trust with your documents, and that keeps \
                nothing of them.

                The program is started once, if there is a document without a vector. It reads one JSON object on each line of \
                its standard input: {"text": …} for a string, otherwise {"value": …}. For each of them it writes one line to its \
                standard output, in the same order: an array of numbers, null for a document that gets no vector, or \
                {"skip": true} for one that is left to the next run. It gets up to --limit lines at once, and more only after it \
                has answered these; it has to flush its output. At the end of its input it has to end.

                It is started without a shell, with the words of --command: quotes and backslashes are as in a shell, and nothing \
                is expanded. Its standard error is this command's. It gets no variables whose names begin with SEALITE_, and \
                no open files.

                Each batch is stored when it is complete. If the program fails, what is stored stays, and the next run goes on.

                Example: sealite index update notes.db near --command './embed --model small' --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The name of the index.")
        var name: String

        @Option(help: ArgumentHelp("The program and its arguments.", valueName: "command line"))
        var command: String

        @Option("n", help: "The number of documents in a batch, at most 10000.")
        var limit = 100

        @Option("seconds", help: "The maximum time for a batch; for the first one with the start of the program.")
        var batchTimeout = 60.0

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes 1 to 10000 documents.") }
            guard batchTimeout > 0, batchTimeout <= 1_000_000 else {
                throw ValidationError("--batch-timeout takes more than 0 and at most 1000000 seconds.")
            }
            guard let words = command.commandWords else {
                throw ValidationError("--command has a quote that isn't closed, or a backslash at its end.")
            }
            guard let program = words.first, !program.isEmpty else {
                throw ValidationError("--command names no program.")
            }
        }

        func run(on collection: Collection) throws {
            guard let index = try collection.index(withName: name) else {
                throw ToolError.noIndex(name, in: collection)
            }
            guard index.vectors?.isLazy == true else {
                throw ToolError.usage(
                    "the index \"\(name)\" isn't a lazy vector index, so no program computes its vectors",
                    hint: "make one with 'sealite index create DATABASE NAME --vector EXPRESSION --dimensions N --lazy'"
                )
            }
            let run = VectorUpdateRun(
                index, program: command.commandWords ?? [], limit: limit, timeout: .seconds(batchTimeout),
                progress: ProgressReporter(json: options.output.json))
            var change = StoppableChange()
            change.effect = { run.stored }
            try change.run { try run.run() }
            let counts = run.counts
            let parts =
                ["\(counted(counts.updated, "document")) updated"]
                + (counts.skipped > 0 ? ["\(counts.skipped) skipped"] : [])
                + (counts.removed > 0 ? ["\(counts.removed) without a vector"] : [])
            options.output.confirm(
                counts.all == 0 ? "the index \"\(name)\" needs no vectors" : parts.joined(separator: ", "),
                json: ["updated": counts.updated, "skipped": counts.skipped, "removed": counts.removed])
        }
    }
}

/// The update of a lazy vector index by a program, in batches.
private final class VectorUpdateRun {
    /// The numbers of documents whose vectors were stored, that were skipped, and that have no vector.
    struct Counts {
        var (updated, skipped, removed) = (0, 0, 0)

        var all: Int { updated + skipped + removed }

        static func += (left: inout Counts, right: Counts) {
            left.updated += right.updated
            left.skipped += right.skipped
            left.removed += right.removed
        }
    }

    private(set) var counts = Counts()
    private let index: QueryIndex
    private let words: [String]
    private let limit: Int
    private let timeout: Duration
    private let progress: ProgressReporter

    init(_ index: QueryIndex, program words: [String], limit: Int, timeout: Duration, progress: ProgressReporter) {
        (self.index, self.words, self.limit) = (index, words, limit)
        (self.timeout, self.progress) = (timeout, progress)
    }

    /// What is stored of a run that was stopped or failed.
    var stored: String {
        counts.updated + counts.removed > 0
            ? "what the program said of \(counted(counts.updated + counts.removed, "document")) is stored"
            : "nothing was changed"
    }

    func run() throws {
        defer { progress.finish() }
        let total = try index.collection.vectorIndexState(index.name)?.lacking ?? 0
        var (sequence, number, count): (Int64, Int, Int) = (0, 0, 0)
        var program: LineProgram?
        while let batch = try index.beginUpdate(limit: UInt64(limit), after: sequence) {
            try WriteControl.current?.requireNotStopped()
            number += 1
            sequence = batch.lastSequence
            let running = try program ?? start()
            program = running
            count = batch.count
            let found = try explained(number, count) { try fill(batch, running) }
            try batch.finish()
            counts += found
            // Documents that others change meanwhile come again.
            progress.report("updating", completed: counts.all, total: max(total, counts.all))
        }
        try explained(number, count) { try program?.end() }
        try index.collection.completeVectorIndex(index.name) { done in
            try WriteControl.current?.requireNotStopped()
            progress.report("indexing", completed: done.documentCount, total: done.totalDocumentCount)
        }
    }

    /// Has the program answer for each document of a batch.
    private func fill(_ batch: IndexUpdater, _ program: LineProgram) throws -> Counts {
        var found = Counts()
        var (lines, places): ([String], [Int]) = ([], [])
        for place in 0..<batch.count {
            // A damaged value is of no use to a program.
            guard let value = batch.value(at: place) else {
                try batch.skipVector(at: place)
                found.skipped += 1
                continue
            }
            lines.append(try Self.line(value))
            places.append(place)
        }
        guard !lines.isEmpty else { return found }
        do {
            try program.answer(lines, within: timeout) { line, bytes in
                do throws(Misanswer) {
                    switch try VectorAnswer(bytes) {
                    case .vector(let vector):
                        try Misanswer.refusing { try batch.setVector(vector, at: places[line]) }
                        found.updated += 1
                    case .none:
                        try Misanswer.refusing { try batch.setVector(nil, at: places[line]) }
                        found.removed += 1
                    case .skip:
                        try Misanswer.refusing { try batch.skipVector(at: places[line]) }
                        found.skipped += 1
                    }
                } catch {
                    throw LineProgram.Failure(line: line, reason: "has given a wrong answer: \(error.reason)")
                }
            }
        } catch let failure as LineProgram.Failure {
            throw LineProgram.Failure(
                line: places[failure.line], reason: failure.reason, kind: failure.kind)
        }
        return found
    }

    /// Returns the line that asks for the vector of a value.
    private static func line(_ value: Value) throws -> String {
        if let text = value.string { return (["text": text] as JSONValue).encoded }
        return try DictionaryObject([("value", value)]).toJSON()
    }

    private func start() throws(ToolError) -> LineProgram {
        do throws(SealedFileError) {
            return try LineProgram(words)
        } catch {
            guard error.code != .noSuchFile else {
                throw ToolError(
                    .noInput, code: "no-such-program",
                    "the program \"\(words[0])\" doesn't exist, or it is a script for a program that doesn't",
                    hint: "--command takes the name of a program in PATH, or a path such as ./embed, and its arguments")
            }
            var failure = ToolError(error)
            failure.hint =
                "the program has to be an executable file; a script begins with a line such as #!/usr/bin/env python3"
            throw failure
        }
    }

    /// Runs `body`; the error for a mistake of the program says in which batch it made it, and what is stored.
    private func explained<Result>(_ batch: Int, _ count: Int, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as LineProgram.Failure {
            let next = "the next run goes on after what is stored"
            let message =
                "batch \(batch), document \(failure.line + 1) of \(count): the program \(failure.reason); \(stored)"
            var error =
                switch failure.kind {
                case .timeout:
                    ToolError(
                        .tryAgain, code: "program-timed-out", message,
                        hint:
                            "it has to flush its output, and not to wait for more lines; --batch-timeout gives it more"
                            + " time, --limit fewer documents at once; \(next)")
                case .mistake:
                    ToolError(
                        .failed, code: "program-failed", message,
                        hint: "'sealite index update --help' says what it has to answer; correct it: \(next)")
                case .surplus:
                    ToolError(
                        .failed, code: "program-failed", message,
                        hint:
                            "the stored vectors may be those of other documents: correct it, delete the index and make"
                            + " it again")
                }
            error.details = [
                ("batch", batch.json), ("document", (failure.line + 1).json), ("updated", counts.updated.json),
            ]
            throw error
        }
    }
}

/// The reason why an answer of a program can't be used.
private struct Misanswer: Error {
    let reason: String

    /// Runs `body`; the reason of its error is that of an answer that the index doesn't take.
    static func refusing(_ body: () throws -> Void) throws(Misanswer) {
        do { try body() } catch { throw Misanswer(reason: ToolError(any: error).message) }
    }
}

/// What a program answers for a document.
private enum VectorAnswer {
    case vector([Float])
    case none
    case skip

    /// Reads an answer from a line.
    init(_ line: [UInt8]) throws(Misanswer) {
        // A single value isn't a document; as a member it is parsed by the same rules.
        let text = "{\"answer\":\(String(decoding: line, as: UTF8.self))}"
        guard let object = try? DictionaryObject(json: text), object.count == 1 else {
            throw Misanswer(reason: "the line isn't JSON")
        }
        switch object.value(forKey: "answer") {
        case .null?: self = .none
        case .array(let items)?:
            var vector: [Float] = []
            vector.reserveCapacity(items.count)
            for item in items {
                guard let number = item.number else {
                    throw Misanswer(reason: "the item \(vector.count) of the array isn't a number")
                }
                vector.append(Float(number.doubleValue))
            }
            self = .vector(vector)
        case .dictionary(let members)? where members.count == 1 && members.value(forKey: "skip") == .boolean(true):
            self = .skip
        default: throw Misanswer(reason: "it is neither an array of numbers nor null nor {\"skip\": true}")
        }
    }
}
