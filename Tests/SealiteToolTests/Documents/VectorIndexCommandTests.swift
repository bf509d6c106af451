import Foundation
import Glibc
import SealiteTestSupport
import Testing

@testable import SealiteTool

@Suite("vector indexes on the command line")
struct VectorIndexCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"])
    }

    /// Saves documents "d0", … with random vectors in the member "v".
    private func fill(_ count: Int, dimensions: Int = 4) throws {
        var random = SeededRandom(part: 48)
        let lines = (0..<count).map { number in
            let vector = (0..<dimensions).map { _ in Double.random(in: -1...1, using: &random) }
            return "{\"_id\":\"d\(number)\",\"v\":\(vector)}\n"
        }
        try place.write(lines.joined(), to: "std.jsonl")
        try #require(try run("import", "a.db", "std.jsonl", "--quiet").status == 0)
    }

    @Test("an index is made with each option, and listed with what was said and how many vectors are in its lists")
    func options() throws {
        try fill(500)
        let near = try run("index", "create", "a.db", "near", "--vector", "v", "--dimensions", "4")
        #expect(near.out == "made the index \"near\" over 500 documents of _default._default with 22 centroids\n")
        let all = [
            "--centroids", "10", "--metric", "dot", "--encoding", "none", "--probes", "3", "--min-training", "600",
            "--max-training", "900", "--lazy",
        ]
        let made = try place.run(
            [Tool.path, "index", "create", "a.db", "all", "--vector", "text", "--dimensions", "8", "--json"] + all
                + ["--key-file", "key"])
        #expect(Outcome.object(made.out)?["centroids"] as? Int == 10, "\(made)")
        try run("doc", "put", "a.db", "new", #"{"v":[1,2,3,4],"text":"new"}"#)
        #expect(
            try run("index", "list", "a.db").out == """
                _default._default  all  text  vectors of 8 dimensions  10 centroids  dot  none  3 probes  lazy  0 vectors in lists  1 document to update
                _default._default  near  v  vectors of 4 dimensions  22 centroids  euclidean-squared  sq8  16 probes  0 vectors in lists  501 not yet

                """)
        let listed = try run("index", "list", "a.db", "--json").out
        #expect(
            listed.contains(
                #""expressions":["text"],"vector":{"dimensions":8,"centroids":10,"metric":"dot","encoding":"none","probes":3,"minTraining":600,"maxTraining":900,"lazy":true,"listed":0,"waiting":0,"toUpdate":1}}"#
            ), "\(listed)")
        let replaced = try run(
            "index", "create", "a.db", "near", "--vector", "v", "--dimensions", "4", "--centroids", "8")
        #expect(
            replaced.out.hasSuffix(
                "with 8 centroids; it replaced another definition: v  vectors of 4 dimensions  22 centroids  euclidean-squared  sq8  16 probes\n"
            ))
        try run("doc", "put", "a.db", "newer", #"{"v":[1,2,3,4]}"#)
        #expect(try run("index", "list", "a.db").out.contains("8 probes  501 vectors in lists  1 not yet\n"))
    }

    @Test("the centroids of a small collection are 16, and an empty one is told")
    func fewCentroids() throws {
        let made = try run("index", "create", "a.db", "near", "--vector", "v", "--dimensions", "4")
        #expect(made.out.hasSuffix(" with 16 centroids\n") && made.err.contains("has no documents"), "\(made)")
    }

    @Test(
        "what can't be is refused with the reason",
        arguments: [
            (["--vector", "v"], "--vector needs --dimensions"),
            (["--vector", "v", "--dimensions", "4", "--on", "v"], "--vector and --on can't be given together"),
            (["--vector", "v", "--dimensions", "4", "--array", "v"], "--vector and --array"),
            (["--vector", "v", "--dimensions", "4", "--full-text", "v"], "--vector and --full-text"),
            (["--vector", "v", "--dimensions", "4", "--where", "a = 1"], "--vector and --where"),
            (["--on", "v", "--lazy"], "need --vector"), (["--on", "v", "--metric", "dot"], "need --vector"),
            (["--vector", "v", "--dimensions", "1"], "2 to 4096 dimensions, not 1"),
            (["--vector", "v", "--dimensions", "few"], "'few' is invalid"),
            (["--vector", "v", "--dimensions", "4", "--centroids", "0"], "1 to 64000 centroids, not 0"),
            (["--vector", "v", "--dimensions", "4", "--probes", "0"], "--probes takes a number above 0"),
            (["--vector", "v", "--dimensions", "4", "--probes", "99"], "1 to 16 lists"),
            (["--vector", "v", "--dimensions", "4", "--metric", "near"], "'euclidean-squared', 'euclidean'"),
            (["--vector", "v", "--dimensions", "4", "--encoding", "sq5"], "'sq8', 'sq6'"),
            (["--vector", "v, w", "--dimensions", "4"], "--vector takes one expression."),
            (["--vector", "v +", "--dimensions", "4"], "column 4"), ([], "--full-text or --vector"),
        ])
    func refused(options: [String], reason: String) throws {
        let refusal = try place.run([Tool.path, "index", "create", "a.db", "x"] + options + ["--key-file", "key"])
        #expect(refusal.status == 64 && refusal.err.contains(reason), "\(refusal.err)")
        #expect(try run("index", "list", "a.db").out == "")
    }

    @Test("a query takes the vector from a file of parameters, as text, JSON and plan")
    func query() throws {
        try fill(500)
        let query = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $vector) LIMIT 2"
        try place.write(#"{"vector":[9,9,9,9]}"#, to: "vector.json")
        let missing = try run("query", "a.db", query, "--param-file", "vector.json")
        #expect(missing.status == 64, "\(missing)")
        #expect(
            missing.err.contains("'sealite index create DATABASE NAME --vector v --dimensions N', or"), "\(missing)")
        try run("index", "create", "a.db", "near", "--vector", "v", "--dimensions", "4")
        try run("doc", "put", "a.db", "a", #"{"v":[9,9,9,8]}"#)
        try run("doc", "put", "a.db", "b", #"{"v":[9,9,9,9]}"#)
        #expect(try run("query", "a.db", query, "--param-file", "vector.json").out == "id\n--\nb\na\n")
        let json = try run("query", "a.db", query, "--param-file", "vector.json", "--json").out
        #expect(json == "[{\"id\":\"b\"},\n{\"id\":\"a\"}]\n")
        let plan = try run("query", "a.db", query, "--param-file", "vector.json", "--explain").out
        #expect(plan.contains("search the vectors of the index near: 16 of 22 lists"), "\(plan)")
    }

    @Test("a signal during the training leaves an index that the same command completes", .endsIfItHangs)
    func stopped() throws {
        try fill(6_000, dimensions: 64)
        let create = [
            Tool.path, "index", "create", "a.db", "near", "--vector", "v", "--dimensions", "64", "--centroids", "200",
            "--key-file", "key",
        ]
        var status: CInt = 0
        // A machine that is busy elsewhere may let the training end before the signal: then there is another.
        for attempt in 0..<10 where status == 0 {
            if attempt > 0 { try #require(try run("index", "delete", "a.db", "near").status == 0) }
            let child = try ChildProcess(
                create, folder: place.path,
                files: [(1, "stdout"), (2, "stderr")].map { ($0, place.file($1), O_WRONLY | O_CREAT | O_TRUNC) })
            eventuallyBlocking("the index") { (try? run("index", "list", "a.db").out.contains("near")) ?? false }
            child.send(SIGINT)
            status = child.wait()
        }
        #expect(status == 128 + SIGINT)
        let error = String(decoding: try place.read("stderr"), as: UTF8.self)
        #expect(
            error
                == "sealite: interrupted by SIGINT: the index \"near\" was made, but not all vectors are in its lists; the same command goes on\n"
        )
        #expect(try place.run(create).status == 0)
        #expect(try run("index", "list", "a.db").out.hasSuffix("6000 vectors in lists\n"))
    }

    @Test(
        "an index whose making or training is killed agrees with the documents, and the next command goes on",
        .endsIfItHangs)
    func killed() throws {
        try fill(4_000)
        let create = ["index", "create", "a.db", "near", "--vector", "v", "--dimensions", "4", "--centroids", "60"]
        for round in 0..<(Effort.current == .soak ? 200 : 8) {
            let child = try ChildProcess(
                [Tool.path] + create + ["--key-file", "key"], folder: place.path,
                files: [1, 2].map { ($0, place.file("out\($0)"), O_WRONLY | O_CREAT | O_TRUNC) })
            letTimePass(.milliseconds(20 + 25 * (round % 40)), because: "the kill comes at any time")
            child.send(SIGKILL)
            let status = child.wait()
            #expect(status == 128 + SIGKILL || status == 0)
            let verified = try run("verify", "a.db")
            #expect(verified.status == 0, "\(verified)")
            if round % 4 == 3 { _ = try run("index", "delete", "a.db", "near") }
        }
        #expect(try place.run([Tool.path] + create + ["--key-file", "key"]).status == 0)
        #expect(try run("index", "list", "a.db").out.contains("4000 vectors in lists"))
        #expect(try run("verify", "a.db").status == 0)
    }
}
