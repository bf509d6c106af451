import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the cases of reading commands")
struct FindCaseTests {
    @Test("documents in memory are found, counted and told apart as the cases have it")
    func documentsInMemory() throws {
        let file = try CaseFile("find")
        file.run { one in difference(of: one, MemoryStore(file.documents(of: one))) }
    }

    @Test("documents of a sealed database are found, counted and told apart as the cases have it")
    func collections() throws {
        let test = try TestStore()
        defer { withExtendedLifetime(test) {} }
        let file = try CaseFile("find")
        file.run { one in
            let documents = BSON.array(file.documents(of: one).map { .document($0) })
            return WriteCommandCaseTests.difference(of: one, test, documents) { difference(of: one, $0) }
        }
    }

    private func difference(of one: CaseFile.Case, _ store: some DocumentStore) -> String? {
        var command = one["command"]?.asDocument ?? [:]
        let name = command["query"] != nil ? "count" : command["key"] != nil ? "distinct" : "find"
        command.insert(name, "collection", at: 0)
        do {
            let reply = try Command(command).run(store)
            if one.expectsError { return "\(command) is accepted" }
            let found = reply["cursor"]?.asDocument?["firstBatch"]?.asArray ?? [.document(reply)]
            let expected = one["expected"]?.asArray ?? []
            let isEqual =
                one.isUnordered
                ? CaseComparison.areEqualSets(found, expected)
                : CaseComparison.areEqual(.array(found), .array(expected))
            return isEqual ? nil : "\(command) gives \(BSON.array(found)), not \(BSON.array(expected))"
        } catch {
            return one.expectsError ? nil : "\(command) fails: \(error)"
        }
    }
}
