import SealiteBase
import Testing

@Suite("the calendar, and dates in ISO 8601")
struct DateTests {
    @Test("the calendar is the one that counting days gives, over a whole cycle of 400 years and the last one")
    func calendar() {
        let isLeap = { (year: Int) in year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        var (year, month, day) = (0, 1, 1)
        for number in -719_528..<(146_097 - 719_528) {
            let (date, last) = (CalendarDay(number: number), CalendarDay(number: number + 24 * 146_097))
            guard date == CalendarDay(year: year, month: month, day: day), date.number == number, date.exists,
                last == CalendarDay(year: year + 9600, month: month, day: day)
            else {
                Issue.record("day \(number) is \(date), and \(last) 9600 years later")
                return
            }
            day += 1
            let days = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
            if day > days { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(year == 400)
    }

    @Test("days that a month lacks don't exist, whatever the sign of the year")
    func existence() {
        for (year, last) in [(0, 29), (4, 29), (100, 28), (400, 29), (-4, 29), (-100, 28), (-400, 29), (2026, 28)] {
            #expect(CalendarDay(year: year, month: 2, day: last).exists, "\(year)")
            #expect(!CalendarDay(year: year, month: 2, day: last + 1).exists, "\(year)")
        }
        for (month, day) in [(0, 1), (13, 1), (1, 0), (1, 32), (4, 31)] {
            #expect(!CalendarDay(year: 2026, month: month, day: day).exists, "\(month)-\(day)")
        }
    }

    @Test("a month's number and a day in it carry over to the day that they are")
    func months() {
        #expect(CalendarDay(monthNumber: 2026 * 12 + 10, day: 21) == CalendarDay(year: 2026, month: 11, day: 21))
        #expect(CalendarDay(monthNumber: -1) == CalendarDay(year: -1, month: 12, day: 1))
        #expect(CalendarDay(number: CalendarDay(monthNumber: 24_313, day: 31).number).month == 3)
        #expect(CalendarDay(milliseconds: -1) == CalendarDay(year: 1969, month: 12, day: 31))
    }

    @Test(
        "a text says where its fraction and its zone are",
        arguments: [
            ("2026-11-21T04:06:03.25+02:00", "25", "+02:00"), ("2026-11-21 04:06:03 Z ", "", "Z"), ("04:06", "", ""),
            ("2026-11-21", "", ""), ("2026-11-21T ", "", ""),
        ])
    func ranges(text: String, fraction: String, zone: String) {
        let bytes = Array(text.utf8)
        guard let parts = ISO8601.parts(of: bytes.span, .queries, takesTimeAlone: true) else {
            Issue.record("isn't read")
            return
        }
        #expect(String(decoding: bytes[parts.fraction], as: UTF8.self) == fraction)
        #expect(String(decoding: bytes[parts.zone], as: UTF8.self) == zone)
        #expect((parts.separator == nil) == (zone.isEmpty && text.hasPrefix("2026")))
    }

    @Test("Extended JSON reads the text of every time, to the ends of 64 bits but for the day that begins before them")
    func texts() {
        for milliseconds in [0, -1, 1, 253_402_300_800_000, -62_167_219_200_001, Int.max, Int.min / 2] {
            let text = ISO8601.text(milliseconds: milliseconds)
            guard let parts = ISO8601.parts(of: text.utf8.span, .extendedJSON) else {
                Issue.record("\(text) isn't read")
                continue
            }
            #expect(parts.day == CalendarDay(milliseconds: milliseconds), "\(text)")
            #expect(parts.millisecondOfDay == floorDivide(milliseconds, by: CalendarDay.milliseconds).remainder)
        }
        #expect(ISO8601.text(milliseconds: 1000, hasFraction: false) == "1970-01-01T00:00:01Z")
    }
}
