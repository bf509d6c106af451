import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("time zones")
struct ZoneTests {
    private func time(_ text: String) throws -> DateTime { try #require(DateTime(iso: text)) }

    @Test("a zone's offset follows its summer time, in years of the table and by its rule behind them")
    func offsets() throws {
        let berlin = try Zone("Europe/Berlin")
        for (text, hours) in [
            ("2020-01-15T12:00:00Z", 1), ("2020-07-15T12:00:00Z", 2), ("2020-03-29T00:59:59Z", 1),
            ("2020-03-29T01:00:00Z", 2), ("2099-01-15T12:00:00Z", 1), ("2099-07-15T12:00:00Z", 2),
        ] {
            #expect(berlin.offset(at: try time(text)) == hours * 3600, "\(text)")
        }
        let sydney = try Zone("Australia/Sydney")
        #expect(sydney.offset(at: try time("2150-01-15T12:00:00Z")) == 11 * 3600)
        #expect(sydney.offset(at: try time("2150-07-15T12:00:00Z")) == 10 * 3600)
    }

    @Test(
        "an hour that clocks leave out is as far behind the change as it is said to be, one that they show twice is the first"
    )
    func changes() throws {
        let berlin = try Zone("Europe/Berlin")
        func wall(_ text: String) throws -> Int { Int(try time(text).milliseconds) }
        #expect(berlin.time(wall: try wall("2020-03-29T02:30:00Z")) == (try time("2020-03-29T01:30:00Z")))
        #expect(berlin.time(wall: try wall("2020-10-25T02:30:00Z")) == (try time("2020-10-25T00:30:00Z")))
    }

    @Test("a time has no offset if 64 bits can't represent its local time")
    func localTimeOutOfRange() {
        let time = CalendarTime(DateTime(milliseconds: .max), offset: 3600)
        #expect(time.wall == Int.max)
        #expect(time.offset == 0)
    }

    @Test(
        "a name that leads out of the database, or isn't there, is refused",
        arguments: [
            "../../../etc/passwd", "/etc/localtime", "Europe/../../../../etc/passwd", "Europe/Nowhere", "", "Europe",
            "+", "+1:00",
            "+100:00", "Europe/Berlin\u{0}", String(repeating: "A", count: 1000), "zone.tab",
        ])
    func refusedNames(_ name: String) { #expect(throws: MongoError.self) { try Zone(name) } }

    @Test("damaged files of zones are refused, and never read past their end")
    func damagedFiles() throws {
        var file = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 39)
        file += Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        // One time, two types, eight characters of names.
        file += [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 8]
        file += [0, 0, 0, 0, 0x5E, 0, 0, 0, 1] + [0, 0, 0x0E, 0x10, 0, 0] + [0, 0, 0x1C, 0x20, 1, 4]
        file += Array("CET\u{0}CES\u{0}".utf8) + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
        let zone = try #require(ZoneData(file))
        #expect(zone.offsets == [7200])
        #expect(ZoneRule(zone.footer) != nil)
        for count in 0..<file.count { _ = ZoneData(Array(file[..<count])) }
        for place in file.indices {
            for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var damaged = file
                damaged[place] = byte
                if let zone = ZoneData(damaged) { _ = ZoneRule(zone.footer)?.offset(at: 4_000_000_000) }
            }
        }
    }
}
