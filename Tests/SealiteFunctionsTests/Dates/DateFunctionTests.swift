import Foundation
import Testing

@testable import SealiteFile
@testable import SealiteFunctions

@Suite("date functions")
struct DateFunctionTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func check(_ expression: String, _ result: String) throws {
        #expect(try stage.ask("query_" + expression) == result)
    }

    @Test("missing and null go through, before anything else is looked at")
    func propagation() throws {
        for call in [
            "str_to_millis(?)", "str_to_utc(?)", "str_to_utc('2018-10-23Z', ?)", "str_to_tz(?, 0)", "str_to_tz('x', ?)",
            "millis_to_str(?)", "millis_to_utc(?, '%F')", "millis_to_tz(0, ?)", "date_diff_str('x', ?, 1)",
            "date_diff_millis(0, 0, ?)", "date_add_str('x', ?, 'x')", "date_add_millis(?, 'x', 1)",
            "date_format_str(?, '%F')", "date_format_str('x', ?)", "date_range_str('x', ?, 1)",
            "date_range_str(1, 'x', 'x', ?)", "date_part_str(?, 'x')", "date_part_millis('x', ?)",
            "date_trunc_str(1, ?)", "date_trunc_millis(?, 1)",
        ] {
            try check(call.replacing("?", with: "NULL"), "NULL")
            try check(call.replacing("?", with: "x'00'"), "X'00'")
        }
    }

    @Test(
        "what is no date is null for conversions, and missing for differences and sums",
        arguments: [
            ("str_to_millis('2018-10-23T18:33:60Z')", "X'00'"), ("str_to_millis('2018-10-23T25:00Z')", "X'00'"),
            ("str_to_millis('2018-1-23')", "X'00'"), ("str_to_millis('-2018-10-23')", "X'00'"),
            ("str_to_millis('2018-10-23 Z')", "X'00'"), ("str_to_millis('2018-10-23T18:33+15:00')", "X'00'"),
            ("str_to_millis('2018-10-23T18:33Zx')", "X'00'"), ("str_to_millis(x'0B')", "X'00'"),
            ("str_to_tz('2018-10-23T18:33Z', 1440)", "X'00'"), ("millis_to_utc(253402300800000)", "X'00'"),
            ("millis_to_utc(-62167219200001)", "X'00'"), ("millis_to_utc(1e300)", "X'00'"),
            ("millis_to_tz(253402300799999, 1)", "X'00'"), ("date_diff_str('x', '2018-01-01', 'day')", "NULL"),
            ("date_diff_str('2018-01-01', '2018-01-01', 'days')", "NULL"), ("date_diff_millis('0', 0, 'day')", "NULL"),
            ("date_diff_millis(1e300, 0, 'day')", "NULL"), ("date_add_str('x', 1, 'day')", "NULL"),
            ("date_add_str('2018-01-01', '1', 'day')", "NULL"), ("date_add_str('2018-01-01', 1, 'days')", "X'00'"),
            ("date_add_millis(0, 9223372036854775807, 'millennium')", "X'00'"),
            ("date_add_millis(0, -9223372036854775807, 'second')", "X'00'"),
            ("date_add_str('9999-12-31T00:00Z', 1, 'day')", "X'00'"),
            ("date_add_str('0000-01-01T00:00Z', -1, 'millisecond')", "X'00'"),
        ])
    func invalid(expression: String, result: String) throws { try check(expression, result) }

    @Test(
        "dates are read in all their forms",
        arguments: [
            ("1970-01-01T00:00Z", 0), ("1970-01-01 00:00:00Z", 0), ("1970-01-01  T 00:00 z ", 0),
            ("1970-01-01T24:00Z", 86_400_000), ("1970-01-01T00:00:00.1Z", 100), ("1970-01-01T00:00:00.0004999Z", 0),
            ("1970-01-01T00:00:00.0005Z", 1), ("1970-01-01T00:00:59.9999Z", 60_000),
            ("1970-01-01T00:00:00.00000000000000000000000001Z", 0), ("1970-01-01T01:00+0100", 0),
            ("1970-01-01T00:00-00:01", 60_000), ("0000-01-01T00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("0000-02-29T00:00Z", -62_162_121_600_000),
            ("1900-03-01T00:00Z", -2_203_891_200_000),
        ])
    func forms(date: String, milliseconds: Int) throws {
        try check("str_to_millis('\(date)')", "\(milliseconds)")
    }

    @Test(
        "a date in the form {\"$date\": …}, or text with a zone for milliseconds, is a date for every function",
        arguments: [
            ("str_to_millis(D)", "1540319581250"), ("str_to_utc(D)", "'2018-10-23T18:33:01.250Z'"),
            ("str_to_tz(D, 60)", "'2018-10-23T19:33:01.250+0100'"), ("millis_to_utc(D)", "'2018-10-23T18:33:01.250Z'"),
            ("millis_to_utc('2018-10-23T19:33:01.250+0100')", "'2018-10-23T18:33:01.250Z'"),
            ("millis_to_utc('2018-10-23T19:33:01')", "X'00'"), ("date_diff_str(D, '2018-10-22', 'day')", "1"),
            ("date_diff_millis(D, 0, 'year')", "48"), ("date_add_str(D, 1, 'day', '%F')", "'2018-10-24'"),
            ("date_add_millis(D, 1, 'second')", "1540319582250"), ("date_part_str(D, 'minute')", "33"),
            ("date_part_millis(D, 'hour')", "18"), ("date_format_str(D, '%F')", "'2018-10-23'"),
            ("date_trunc_str(D, 'day')", "'2018-10-23T00:00:00Z'"), ("date_trunc_millis(D, 'day')", "1540252800000"),
            ("str_to_millis(L)", "1540319581250"), ("str_to_millis(G)", "X'00'"), ("str_to_millis(B)", "X'00'"),
        ])
    func typed(expression: String, result: String) throws {
        let objects = [
            "D": #"{"$date":"2018-10-23T18:33:01.250Z"}"#, "L": #"{"$date":{"$numberLong":"1540319581250"}}"#,
            "G": #"{"$date":"2018-10-23T18:33:01.250Zx"}"#, "B": #"{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}"#,
        ]
        var expression = expression
        for (name, json) in objects {
            expression = expression.replacing("(\(name)", with: "(\(try literal(json))")
        }
        try check(expression, result)
    }

    @Test(
        "formats name what is written",
        arguments: [
            ("1111-11-11", "2018-10-23"), ("YYYY-MM-DD", "2018-10-23"), ("1111/11/11", "2018-10-23"),
            ("%F", "2018-10-23"), ("%Y-%m-%d", "2018-10-23"), ("%Y/%m/%d", "2018-10-23"), ("%T", "18:33:01.999"),
            ("%H:%M:%S", "18:33:01"), ("%H:%M:%S%.s", "18:33:01.999"), ("%FT%T%z", "2018-10-23T18:33:01.999Z"),
            ("%F %H:%M:%S%s%Ez", "2018-10-23 18:33:01.999Z"), ("1111-11-11T11:11:11+0000", "2018-10-23T18:33:01Z"),
            ("%F%T", "2018-10-23T18:33:01.999Z"), ("%", "2018-10-23T18:33:01.999Z"), ("", "2018-10-23T18:33:01.999Z"),
            ("1111-11-11Z", "2018-10-23T18:33:01.999Z"), ("%F ", "2018-10-23T18:33:01.999Z"),
        ])
    func formats(format: String, result: String) throws {
        try check("millis_to_utc(1540319581999, '\(format)')", "'\(result)'")
    }

    @Test(
        "differences count boundaries, and sums let days overflow",
        arguments: [
            ("date_diff_str('2018-01-01T00:00+05:00', '2018-01-01T00:00Z', 'hour')", "0"),
            ("date_diff_str('10:30', '09:45', 'minute')", "45"),
            ("date_diff_millis(0, -1, 'millennium')", "0"), ("date_diff_millis(0, -1, 'YEAR')", "1"),
            ("date_diff_str('2000-01-01', '1999-12-31', 'decade')", "0"),
            ("date_diff_str('9999-12-31', '0000-01-01', 'day')", "3652424"),
            ("date_add_str('2018-01-31T00:00Z', 1, 'month')", "'2018-03-03T00:00:00Z'"),
            ("date_add_str('2020-01-31T10:00+02:00', 1, 'month')", "'2020-03-02T10:00:00+0200'"),
            ("date_add_str('2018-12-31T00:00Z', -1.9, 'day')", "'2018-12-30T00:00:00Z'"),
            ("date_add_millis(1.9, 1, 'millisecond')", "2"),
        ])
    func arithmetic(expression: String, result: String) throws { try check(expression, result) }

    @Test(
        "parts are those of Couchbase Server",
        arguments: [
            ("millennium", "3"), ("century", "21"), ("decade", "201"), ("year", "2016"), ("quarter", "2"),
            ("month", "5"), ("day", "15"), ("hour", "3"), ("minute", "59"), ("second", "12"), ("millisecond", "34"),
            ("week", "20"), ("day_of_year", "136"), ("DOY", "136"), ("day_of_week", "0"), ("dow", "0"),
            ("iso_week", "19"), ("iso_year", "2016"), ("iso_dow", "7"), ("timezone", "-12600"),
            ("timezone_hour", "-3"), ("timezone_minute", "-30"), ("weekday", "X'00'"), ("é", "X'00'"),
        ])
    func parts(part: String, result: String) throws {
        try check("date_part_str('2016-05-15T03:59:12.034-0330', '\(part)')", result)
    }

    @Test(
        "the weeks of ISO 8601 at the ends of years",
        arguments: [
            ("2018-12-31", 2019, 1), ("2021-01-03", 2020, 53), ("2016-01-01", 2015, 53), ("0000-01-01", -1, 52),
        ])
    func weeks(date: String, year: Int, week: Int) throws {
        try check("date_part_str('\(date)', 'iso_year')", "\(year)")
        try check("date_part_str('\(date)', 'iso_week')", "\(week)")
    }

    @Test("of a date without zone there is no zone to tell, of milliseconds it is UTC")
    func zonePart() throws {
        try check("date_part_str('2016-05-15', 'timezone')", "X'00'")
        try check("date_part_millis(0, 'timezone')", "0")
        try check("date_part_millis(-1, 'year')", "1969")
    }

    @Test(
        "truncating gives the start of the unit, in the form that the date has",
        arguments: [
            ("2016-05-18T03:59:12.345Z", "second", "2016-05-18T03:59:12Z"),
            ("2016-05-18T03:59:12.345+05:30", "hour", "2016-05-18T03:00:00+05:30"),
            ("2016-05-18 03:59", "day", "2016-05-18 00:00:00"), ("2016-05-18", "month", "2016-05-01"),
            ("2016-05-18", "quarter", "2016-04-01"), ("2016-05-18", "week", "2016-05-16"),
            ("2016-05-18", "year", "2016-01-01"), ("2016-05-18", "decade", "2010-01-01"),
            ("2016-05-18", "century", "2000-01-01"), ("1999-05-18", "millennium", "1000-01-01"),
        ])
    func truncating(date: String, unit: String, result: String) throws {
        try check("date_trunc_str('\(date)', '\(unit)')", "'\(result)'")
    }

    @Test(
        "a date is written in another format",
        arguments: [
            ("2016-05-15T00:00:23+00:00", "1111-11-11", "'2016-05-15'"),
            ("2016-05-15T01:02:03.004Z", "%T", "'01:02:03.004'"),
            ("2016-05-15T01:02:03-07:00", "1111-11-11 11:11:11+00:00", "'2016-05-15 01:02:03-07:00'"),
            ("01:10:05Z", "1111-11-11T11:11:11Z", "'2000-01-01T01:10:05Z'"),
            ("2016-05-15T01:02:03Z", "no format", "'2016-05-15T01:02:03Z'"), ("2016-05-35", "%F", "X'00'"),
        ])
    func formatting(date: String, format: String, result: String) throws {
        try check("date_format_str('\(date)', '\(format)')", result)
        try check("date_format_str('\(date)', 1)", "X'00'")
    }

    @Test(
        "a range has the dates from the first up to the last, without it, in the form of the first",
        arguments: [
            (
                "'2015-11-30T15:04:05.999', '2016-12-02', 'quarter'",
                "2015-11-30T15:04:05.999, 2016-03-01T15:04:05.999, 2016-06-01T15:04:05.999, 2016-09-01T15:04:05.999, 2016-12-01T15:04:05.999"
            ),
            ("'2018-01-01', '2019-01-01', 'month', 4", "2018-01-01, 2018-05-01, 2018-09-01"),
            ("'2016-01-05 10:00', '2016-01-03T10:00', 'day', -1", "2016-01-05 10:00:00, 2016-01-04 10:00:00"),
            (
                "'2016-01-01T23:00-02:00', '2016-01-02T02:30Z', 'HOUR'",
                "2016-01-01T23:00:00-02:00, 2016-01-02T00:00:00-02:00"
            ),
            ("'2016-01-01', '2016-01-01', 'day'", ""), ("'2016-01-02', '2016-01-01', 'day'", ""),
            ("'2016-01-01', '2016-01-02', 'day', -1", ""), ("'2016-01-01', '2016-01-02', 'day', 0", ""),
            ("'9999-12-30', '9999-12-31T23:00', 'day', 2.0", "9999-12-30"),
            ("'9998-01-01', '9999-12-31', 'year'", "9998-01-01, 9999-01-01"),
        ])
    func ranges(arguments: String, dates: String) throws {
        let list = dates.isEmpty ? [] : dates.components(separatedBy: ", ").map { "\"\($0)\"" }
        try check("date_range_str(\(arguments))", try stage.ask(try jsonb("[\(list.joined(separator: ","))]")))
    }

    @Test(
        "what is no range is null, and so is one that is too long",
        arguments: [
            "'x', '2016-01-01', 'day'", "'2016-01-01', '10:00', 'day'", "'2016-01-01', '2016-01-02', 'days'",
            "'2016-01-01', '2016-01-02', 'day', 0.5", "'2016-01-01', '2016-01-02', 'day', '1'",
            "'0000-01-01', '9999-12-31', 'millisecond'",
        ])
    func noRanges(arguments: String) throws { try check("date_range_str(\(arguments))", "X'00'") }

    @Test("truncated milliseconds are UTC's")
    func truncatingMilliseconds() throws {
        try check("date_trunc_millis(-1, 'day')", "-86400000")
        try check("date_trunc_millis(1540319581999, 'month')", "1538352000000")
        try check("date_trunc_millis(0, 'dow')", "X'00'")
        // The first week of year 0 began in the year before.
        try check("date_trunc_str('0000-01-01', 'week')", "X'00'")
    }

    @Test("without a zone the device's is meant, with its summer time")
    func deviceZone() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            let stage = try Stage()
            for (expression, result) in [
                ("str_to_millis('2018-07-01')", "1530396000000"), ("str_to_millis('2018-01-01')", "1514761200000"),
                ("str_to_utc('2018-07-01T00:00')", "'2018-06-30T22:00:00Z'"),
                ("str_to_tz('2018-07-01T00:00', 0)", "'2018-06-30T22:00:00Z'"),
                ("millis_to_str(1530396000000)", "'2018-07-01T00:00:00+0200'"),
                ("millis_to_str(0, '1111-11-11T11:11:11+00:00')", "'1970-01-01T01:00:00+01:00'"),
                // Days by the calendar, hours as they pass, over the night of March 25th that lacks an hour.
                ("date_add_str('2018-03-24T12:00', 1, 'day')", "'2018-03-25T12:00:00+0200'"),
                ("date_add_str('2018-03-24T12:00', 24, 'hour')", "'2018-03-25T13:00:00+0200'"),
                ("date_add_str('2018-01-01', 6, 'month', '%FT%T%Ez')", "'2018-07-01T00:00:00+02:00'"),
                ("date_diff_str('2018-03-26', '2018-03-25', 'hour')", "24"),
                ("millis_to_utc(0)", "'1970-01-01T00:00:00Z'"),
            ] {
                #expect(try stage.ask("query_" + expression) == result, "\(expression)")
            }
        }
    }

    @Test("indexes take the functions that give one answer everywhere, and refuse those that ask the device's zone")
    func determinism() throws {
        try stage.connection.execute("CREATE TABLE dates (a)")
        for call in [
            "millis_to_utc(a)", "millis_to_tz(a, 60)", "date_diff_str(a, a, 'day')", "date_diff_millis(a, a, 'day')",
            "date_add_millis(a, 1, 'day')", "date_part_str(a, 'day')", "date_part_millis(a, 'day')",
            "date_trunc_str(a, 'day')", "date_trunc_millis(a, 'day')",
        ] {
            try stage.connection.execute("CREATE INDEX fine ON dates (query_\(call)); DROP INDEX fine")
        }
        for call in [
            "str_to_millis(a)", "str_to_utc(a)", "str_to_tz(a, 60)", "millis_to_str(a)", "date_add_str(a, 1, 'day')",
        ] {
            #expect(throws: (any Error).self) {
                try stage.connection.execute("CREATE INDEX refused ON dates (query_\(call))")
            }
        }
    }
}
