import Testing

@Suite("the scripts of per-document sync")
struct SyncScriptTests {
    @Test("there are scripts")
    func areThere() { #expect(SyncScript.all.count > 50 && SyncScript.anyRemote.count > 20) }

    @Test("a script ends with a listener as with Stitch", arguments: SyncScript.all)
    func listener(_ script: SyncScript) async throws { try await SyncScriptRun(script, MobileServer()).run() }

    @Test("a script ends with a Sync Gateway as with Stitch", arguments: SyncScript.anyRemote)
    func gateway(_ script: SyncScript) async throws {
        let gateway = try await ScriptedGateway.start()
        try await SyncScriptRun(script, gateway).run()
        let unexpected = gateway.read { $0.unexpected }
        #expect(unexpected == [])
    }
}
