import Testing

@Suite("The scripts of per-document sync")
struct SyncScriptTests {
    @Test("there are scripts")
    func areThere() { #expect(SyncScript.all.count > 50) }

    @Test("a script ends as Stitch does", arguments: SyncScript.all)
    func script(_ script: SyncScript) async throws { try await SyncScriptRun(script).run() }
}
