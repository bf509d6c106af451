import SealiteCrypto
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Synchronization
import Testing

@testable import SealiteTransport

@Suite("sessions of a server")
struct SessionTableTests {
    private let time = ManualTime()
    private let table: SessionTable

    init() { table = SessionTable(lifetime: .seconds(100), isEncrypted: true, time: time) }

    private func begin(_ user: String = "ana") throws -> String {
        let cookie = try #require(
            table.begin(user: user, password: SharedSecret(SecretBytes(copying: [1])), database: "my db"))
        return String(cookie.prefix { $0 != ";" })
    }

    @Test("a session is found by its cookie among others, until its time is over or it is ended")
    func life() throws {
        let pair = try begin()
        #expect(pair.hasPrefix("SyncGatewaySession=") && pair.utf8.count == 19 + 40)
        #expect(table.find(["a=b; \(pair)"])?.user == "ana")
        #expect(table.find(["a=b", "\(pair); c=d"])?.user == "ana")
        for wrong in [[], ["a=b"], [String(pair.dropLast())], [pair.uppercased()], ["x\(pair)"], ["\(pair)0"]] {
            #expect(table.find(wrong) == nil)
        }
        let other = try begin("bob")
        #expect(other != pair && table.end([other]) && !table.end([other]))
        #expect(table.find([other]) == nil)
        time.advance(by: .seconds(100))
        #expect(table.find([pair]) == nil)
    }

    private func renewed(_ pair: String) throws -> String? {
        table.renew(try #require(table.find([pair])), database: "my db")
    }

    @Test("after a tenth of its time a session that is used lasts anew, and the cookie says so")
    func renewal() throws {
        let pair = try begin()
        time.advance(by: .seconds(9))
        #expect(try renewed(pair) == nil)
        time.advance(by: .seconds(2))
        #expect(try renewed(pair) == "\(pair); Path=/my%20db; Max-Age=100; HttpOnly; Secure")
        #expect(try renewed(pair) == nil)
        time.advance(by: .seconds(95))
        #expect(table.find([pair]) != nil)
    }

    @Test("a session that is looked up without being renewed, as with a wrong password, ends in time")
    func lookedUp() throws {
        let pair = try begin()
        for _ in 0..<9 {
            time.advance(by: .seconds(11))
            #expect(table.find([pair]) != nil)
        }
        time.advance(by: .seconds(1))
        #expect(table.find([pair]) == nil)
    }

    @Test("of too many sessions those that would end first are ended")
    func limit() throws {
        let first = try begin()
        time.advance(by: .seconds(1))
        let second = try begin()
        for _ in 0..<999 { _ = try begin() }
        #expect(table.find([first]) == nil)
        #expect(table.find([second]) != nil)
    }
}
