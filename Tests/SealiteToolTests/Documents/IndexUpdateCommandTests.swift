import Foundation
import Glibc
import SealiteTestSupport
import Testing

@testable import SealiteTool

@Suite("the vectors of a lazy index, computed by a program")
struct IndexUpdateCommandTests {
    private let place: Workplace
    /// The number of documents, whose texts are "text 1", ….
    private static let count = 8

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let lines = (1...Self.count).map { "{\"_id\":\"d\($0)\",\"text\":\"text \($0)\"}\n" }
        try place.write(lines.joined(), to: "std.jsonl")
        try run("import", "a.db", "std.jsonl")
        try run("index", "create", "a.db", "near", "--vector", "text", "--dimensions", "4", "--lazy")
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> Outcome {
        let outcome = try place.run([Tool.path] + arguments + ["--key-file", "key"])
        #expect(outcome.status == 0, "\(arguments): \(outcome)")
        return outcome
    }

    private static func update(_ command: String, _ options: [String] = []) -> [String] {
        [Tool.path, "index", "update", "a.db", "near", "--command", command, "--key-file", "key"] + options
    }

    private func update(_ command: String, _ options: String..., environment: [String: String] = [:]) throws -> Outcome
    {
        try place.run(Self.update(command, options), environment: environment)
    }

    /// Writes a program in Python that answers the question `n`, counted from 1, with `[n, 1, 2, 3]`. Before it does,
    /// `step` runs, with the object of the question in `asked`. The file isn't executed itself, since the system may take
    /// it for one that is still being written while another test starts a process.
    private func writeProgram(_ step: String = "pass", to name: String = "embed") throws {
        let lines = step.split(separator: "\n").map { "    \($0)\n" }.joined()
        try place.write(
            """
            import json, os, signal, sys, time
            open("pid", "w").write(str(os.getpid()))
            n = 0
            for line in sys.stdin:
                n += 1
                asked = json.loads(line)
            \(lines)
                print(json.dumps([n, 1, 2, 3]), flush=True)

            """, to: name)
    }

    /// The number of the process of the program that ran last.
    private var programID: pid_t {
        get throws { try #require(pid_t(String(decoding: try place.read("pid"), as: UTF8.self))) }
    }

    /// Whether the program has ended; one whose parent was killed may stay to be waited for.
    private var programIsGone: Bool {
        get throws {
            let status = try? String(contentsOfFile: "/proc/\(try programID)/stat", encoding: .utf8)
            return status.map { $0.contains(") Z ") } ?? true
        }
    }

    /// The number of documents for which the index has no vector yet.
    private func lacking() throws -> Int? {
        let listed = Outcome.object(try run("index", "list", "a.db", "--json").out)
        return (listed?["vector"] as? [String: Any])?["toUpdate"] as? Int
    }

    private func nearest(_ vector: String) throws -> String {
        try run(
            "query", "a.db", "SELECT RAW META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(text, $v) LIMIT 1", "--param",
            "v=\(vector)", "--json"
        ).out
    }

    // MARK: - Answers

    @Test("each document gets its vector, in batches; changed documents get new ones, and nothing is asked again")
    func vectors() throws {
        try writeProgram("assert asked == {'text': f'text {n}'}")
        let updated = try update("python3 embed", "--limit", "3")
        #expect(updated.status == 0 && updated.out == "8 documents updated\n", "\(updated)")
        #expect(try programIsGone)
        #expect(try lacking() == 0)
        #expect(try nearest("[5,1,2,3]") == "[\"d5\"]\n")
        // No program is started.
        #expect(try update("./nosuch").out == "the index \"near\" needs no vectors\n")
        try run("doc", "put", "a.db", "d5", #"{"text":"other"}"#)
        try run("doc", "delete", "a.db", "d6")
        try writeProgram("assert asked == {'text': 'other'}\nn = 90")
        #expect(try update("python3 embed", "--json").out == "{\"updated\":1,\"skipped\":0,\"removed\":0}\n")
        #expect(try nearest("[90,1,2,3]") == "[\"d5\"]\n")
    }

    @Test("a document that is skipped is asked again by the next run only, and one without a vector isn't")
    func skipped() throws {
        try writeProgram("if n in (1, 2, 3, 5): print('null' if n == 5 else '{\"skip\": true}', flush=True); continue")
        let first = try update("python3 embed", "--limit", "2")
        #expect(first.out == "4 documents updated, 3 skipped, 1 without a vector\n", "\(first)")
        #expect(try lacking() == 3)
        try writeProgram()
        #expect(try update("python3 embed", "--json").out == "{\"updated\":3,\"skipped\":0,\"removed\":0}\n")
        #expect(try lacking() == 0)
    }

    @Test("a value that isn't a string goes as it is, and a document without a value isn't asked for")
    func values() throws {
        try run("doc", "put", "a.db", "d1", #"{"text":{"b":[1,2.5],"a":"ü\n"}}"#)
        for number in 2...7 { try run("doc", "put", "a.db", "d\(number)", "{}") }
        try writeProgram("print(line, end='', file=sys.stderr)")
        let updated = try update("python3 embed")
        #expect(updated.err == "{\"text\":\"text 8\"}\n{\"value\":{\"b\":[1,2.5],\"a\":\"ü\\n\"}}\n", "\(updated)")
        #expect(updated.out == "2 documents updated\n")
    }

    @Test(
        "neither side waits for the other for ever, whether the program answers at once or after the whole batch",
        .endsIfItHangs, arguments: [false, true])
    func longLines(waits: Bool) throws {
        let text = String(repeating: "x", count: 100_000)
        try place.write((1...40).map { "{\"_id\":\"l\($0)\",\"text\":\"\(text)\"}\n" }.joined(), to: "std.jsonl")
        try run("import", "a.db", "std.jsonl", "--collection", "long")
        try run(
            "index", "create", "a.db", "near", "--vector", "text", "--dimensions", "4096", "--lazy", "--collection",
            "long")
        try place.write(
            """
            import itertools, sys
            answer = str([i / 7 for i in range(4096)]) + "\\n"
            while lines := list(itertools.islice(sys.stdin, \(waits ? 20 : 1))):
                sys.stdout.write(answer * len(lines))
                sys.stdout.flush()

            """, to: "long.py")
        let updated = try update("python3 long.py", "--limit", "20", "--collection", "long")
        #expect(updated.out == "40 documents updated\n", "\(updated)")
    }

    @Test("words are those of a shell that expands nothing")
    func words() throws {
        #expect("a  'b  c' \"d'\\\"\\n\" e\\ f'g'".commandWords == ["a", "b  c", "d'\"\\n", "e fg"])
        #expect("".commandWords == [] && " '' ".commandWords == [""] && "$a *|;".commandWords == ["$a", "*|;"])
        #expect("'a".commandWords == nil && "\"a'".commandWords == nil && "a\\".commandWords == nil)
        for word in ["it's", "a b", "$HOME", "\"", "\\", "", "ü\n"] {
            #expect(word.shellArgument.commandWords == [word])
        }
        try writeProgram("open('words', 'w').write(json.dumps(sys.argv[1:]))")
        #expect(try update("python3 embed --model 'a b' $HOME").status == 0)
        #expect(String(decoding: try place.read("words"), as: UTF8.self) == #"["--model", "a b", "$HOME"]"#)
    }

    // MARK: - What the program gets

    @Test("the program gets no variable of keys and no open file")
    func isolation() throws {
        try writeProgram(
            """
            names = [name for name in os.environ if name.startswith("SEALITE_")]
            files = [f for f in map(int, os.listdir("/proc/self/fd")) if os.path.exists(f"/proc/self/fd/{f}")]
            open("seen", "w").write(json.dumps([names, files, os.environ.get("OTHER"), os.getpgrp() == os.getpid()]))
            """)
        let updated = try place.run(
            [Tool.path, "index", "update", "a.db", "near", "--command", "python3 embed", "--key-file", "/dev/fd/9"],
            environment: ["SEALITE_STORE": "vault", "SEALITE_X": "1", "OTHER": "2"], files: [9: "key", 12: "key"])
        #expect(updated.status == 0, "\(updated)")
        #expect(String(decoding: try place.read("seen"), as: UTF8.self) == #"[[], [0, 1, 2], "2", true]"#)
    }

    // MARK: - Failures

    static let failures: [(step: String, message: String, status: CInt)] = [
        ("sys.exit(5)", "document 2 of 3: the program ended with exit code 5 before it answered", 1),
        ("os.kill(os.getpid(), 9)", "document 2 of 3: the program was ended by signal 9 before it answered", 1),
        ("os.close(1); time.sleep(600)", "document 2 of 3: the program has closed its output before it answered", 1),
        ("print('no', flush=True)", "document 2 of 3: the program has given a wrong answer: the line isn't JSON", 1),
        ("print('7', flush=True)", "wrong answer: it is neither an array of numbers nor null nor {\"skip\": true}", 1),
        ("print('{\"skip\": false}', flush=True)", "wrong answer: it is neither an array", 1),
        ("print('[1,2]', flush=True)", "the vector has 2 dimensions, and those of the index \"near\" have 4", 1),
        ("print('[1,2,\"3\",4]', flush=True)", "the item 2 of the array isn't a number", 1),
        ("print('[1,2,3,1e99]', flush=True)", "a vector must have finite numbers", 1),
        ("print('[' + 2000000 * '1', end='', flush=True); time.sleep(600)", "with a line of more than 1 MiB", 1),
        ("time.sleep(600)", "document 2 of 3: the program hasn't answered in time", 75),
    ]

    @Test(
        "a program that fails is killed, the error says where, and the batches before are stored",
        .endsIfItHangs, arguments: failures)
    func failed(step: String, message: String, status: CInt) throws {
        try writeProgram("if n == 5: \(step)")
        // Long enough for the first batch, with the start of the program.
        let options = ["--limit", "3", "--json"] + (status == 75 ? ["--batch-timeout", "10"] : [])
        let failed = try place.run(Self.update("python3 embed", options))
        #expect(failed.status == status && failed.out == "", "\(failed)")
        let error = try #require(failed.json, "\(failed)")
        let text = error["message"] as? String ?? ""
        #expect(text.hasPrefix("batch 2, document 2 of 3: the program ") && text.contains(message), "\(text)")
        #expect(text.hasSuffix("; what the program said of 3 documents is stored"))
        #expect(error["code"] as? String == (status == 75 ? "program-timed-out" : "program-failed"))
        #expect((error["hint"] as? String)?.hasSuffix("the next run goes on after what is stored") == true)
        #expect(error["batch"] as? Int == 2 && error["document"] as? Int == 2 && error["updated"] as? Int == 3)
        #expect(try programIsGone)
        #expect(try lacking() == Self.count - 3)
        try writeProgram()
        #expect(try update("python3 embed").out == "5 documents updated\n")
        #expect(try nearest("[5,1,2,3]") == "[\"d8\"]\n")
    }

    @Test(
        "a program that writes more lines than it is asked is refused, at its end too",
        arguments: [
            "if n == 3: print('[1,2,3,4]\\n[1,2,3,4]', flush=True)",
            "if n == 8: import atexit; atexit.register(print, '[]', flush=True)",
        ])
    func surplus(step: String) throws {
        try writeProgram(step)
        let failed = try update("python3 embed", "--limit", "3")
        #expect(failed.status == 1, "\(failed)")
        #expect(failed.err.contains("the program has written more than one line for each document"), "\(failed)")
        #expect(failed.err.contains("delete the index and make it again"))
        #expect(try programIsGone)
    }

    @Test("a program that can't be started, and an index that takes none, are refused")
    func refused() throws {
        let missing = try update("./nosuch")
        #expect(missing.status == 66 && missing.err.contains("the program \"./nosuch\" doesn't exist"), "\(missing)")
        try place.write("#!/usr/bin/env python3\n", to: "embed")
        let plain = try update("./embed")
        #expect(plain.status == 78 && plain.err.contains("hint: the program has to be an executable file"), "\(plain)")
        for (command, reason) in [
            ("'embed", "a quote that isn't closed"), (" ", "names no program"), ("''", "names no program"),
        ] {
            let refusal = try update(command)
            #expect(refusal.status == 64 && refusal.err.contains(reason), "\(refusal)")
        }
        #expect(try update("python3 embed", "--limit", "0").status == 64)
        #expect(try update("python3 embed", "--batch-timeout", "0").status == 64)
        try run("index", "create", "a.db", "near", "--vector", "text", "--dimensions", "4")
        let eager = try update("python3 embed")
        #expect(eager.status == 64 && eager.err.contains("isn't a lazy vector index"), "\(eager)")
        try run("index", "delete", "a.db", "near")
        let none = try update("python3 embed")
        #expect(none.status == 66 && none.err.contains("there is no index \"near\""), "\(none)")
    }

    // MARK: - Interruptions

    /// Starts an update whose program stops at the fifth document until there is a file "go".
    private func startWaiting() throws -> ChildProcess {
        try writeProgram("open(f'at{n}', 'w')\nwhile n == 5 and not os.path.exists('go'): time.sleep(0.01)")
        let child = try ChildProcess(
            Self.update("python3 embed", ["--limit", "3"]), folder: place.path,
            files: [
                (1, place.file("stdout"), O_WRONLY | O_CREAT | O_TRUNC),
                (2, place.file("stderr"), O_WRONLY | O_CREAT | O_TRUNC),
            ])
        eventuallyBlocking("the fifth document") { place.exists("at5") || child.hasEnded }
        return child
    }

    @Test("a signal kills the program, and the batches before it stay", .endsIfItHangs, arguments: [SIGINT, SIGTERM])
    func stopped(signal: CInt) throws {
        let child = try startWaiting()
        child.send(signal)
        #expect(child.wait() == 128 + signal)
        #expect(
            String(decoding: try place.read("stderr"), as: UTF8.self)
                == "sealite: interrupted by \(signal == SIGINT ? "SIGINT" : "SIGTERM"): what the program said of 3 documents is stored\n"
        )
        #expect(try programIsGone)
        #expect(try lacking() == Self.count - 3)
    }

    @Test("an update that is killed keeps what was stored, its program ends, and a rerun completes it", .endsIfItHangs)
    func killed() throws {
        let child = try startWaiting()
        child.send(SIGKILL)
        #expect(child.wait() == 128 + SIGKILL)
        #expect(try lacking() == Self.count - 3)
        try place.write("", to: "go")
        try eventuallyBlocking("the end of the program") { try programIsGone }
        #expect(try update("python3 embed").out == "5 documents updated\n")
        #expect(try lacking() == 0)
    }
}
