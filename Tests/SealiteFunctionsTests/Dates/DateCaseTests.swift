import Foundation
import Testing

@Suite("date functions over the cases of Fixtures/Queries")
struct DateCaseTests {
    @Test("every case of dates.json, in UTC")
    func dates() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("TZ", "UTC", 1)
            let cases = try ExpressionCases("dates", ["("])
            #expect(cases.cases.count == 213)
            try cases.check(on: Stage())
        }
    }

    @Test("every case of measured_functions.json that calls a date function, in UTC")
    func measured() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("TZ", "UTC", 1)
            let cases = try ExpressionCases("measured_functions", ["MILLIS", "STR_TO_", "DATE_"])
            #expect(cases.cases.count >= 30)
            try cases.check(on: Stage())
        }
    }
}
