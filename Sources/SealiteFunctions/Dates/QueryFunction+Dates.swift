import SealiteJSON
import SealiteValues

extension QueryFunction {
    /// The SQL functions for dates (Documentation/QueryFunctions-Dates.md). Functions that interpret dates without a
    /// zone in the device's zone, or return dates in it, aren't deterministic.
    static let dates: [QueryFunction] = [
        .init("query_str_to_millis", 1, isDeterministic: false) {
            convert($0, 1) { $0.give(Int64($1.utcMilliseconds)) }
        },
        .init("query_str_to_utc", 1...2, isDeterministic: false) { call in
            convert(call, 2) {
                $0.give(date: WallTime(milliseconds: $1.utcMilliseconds), offset: 0, $0.dateFormat(1))
            }
        },
        .init("query_str_to_tz", 2...3, isDeterministic: false) { call in
            convert(call, 3, allowsTimeAlone: true) {
                $0.give(utcMilliseconds: $1.utcMilliseconds, $0.zoneOffset(1), 2)
            }
        },
        .init("query_millis_to_str", 1...2, isDeterministic: false) { call in
            convertMilliseconds(call, 2) { $0.give(utcMilliseconds: $1, DeviceZone.offset(atUTC: $1), 1) }
        },
        .init("query_millis_to_utc", 1...2) { call in
            convertMilliseconds(call, 2) { $0.give(utcMilliseconds: $1, 0, 1) }
        },
        .init("query_millis_to_tz", 2...3) { call in
            convertMilliseconds(call, 3) { $0.give(utcMilliseconds: $1, $0.zoneOffset(1), 2) }
        },
        .init("query_date_diff_str", 3) { call in
            difference(call) { call.date($0, allowsTimeAlone: true)?.time }
        },
        .init("query_date_diff_millis", 3) { call in difference(call, call.utcTime) },
        .init("query_date_add_str", 3...4, isDeterministic: false, addToDate),
        .init("query_date_add_millis", 3, addToMilliseconds),
        .init("query_date_part_str", 2) { call in
            convert(call, 2) { $0.give(field: $1.time, offset: $1.offset) }
        },
        .init("query_date_part_millis", 2) { call in
            convertMilliseconds(call, 2) { call, milliseconds in
                call.give(field: WallTime(milliseconds: milliseconds), offset: 0)
            }
        },
        .init("query_date_format_str", 2, isDeterministic: false) { call in
            convert(call, 2, allowsTimeAlone: true) { call, date in
                guard call[1].text != nil else { return call.giveNull() }
                call.give(
                    date: date.time, offset: date.offset ?? DeviceZone.offset(atWall: date.time), call.dateFormat(1))
            }
        },
        .init("query_date_range_str", 3...4, isDeterministic: false, dateRange),
        .init("query_date_trunc_str", 2, truncateDate),
        .init("query_date_trunc_millis", 2) { call in
            convertMilliseconds(call, 2) { call, milliseconds in
                let start = WallTime(milliseconds: milliseconds).flatMap { time in
                    call.dateUnit(1)?.start(of: time)
                }
                if let start { call.give(Int64(start.milliseconds)) } else { call.giveNull() }
            }
        },
    ]
}

// MARK: - Helpers of several functions

/// Calls `body` with the date in the first argument. If one of the first `count` arguments is MISSING or NULL, the
/// result is set to it instead; if the first argument isn't a date, the result is NULL.
private func convert(
    _ call: QueryCall, _ count: Int, allowsTimeAlone: Bool = false,
    _ body: (QueryCall, DateText) -> Void
) {
    guard !call.propagates(count) else { return }
    if let date = call.date(0, allowsTimeAlone: allowsTimeAlone) {
        body(call, date)
    } else {
        call.giveNull()
    }
}

/// Calls `body` with the time in the first argument, in milliseconds since 1970. If one of the first `count` arguments
/// is MISSING or NULL, the result is set to it instead; if the first argument isn't a time, the result is NULL.
private func convertMilliseconds(_ call: QueryCall, _ count: Int, _ body: (QueryCall, Int) -> Void) {
    guard !call.propagates(count) else { return }
    if let time = call.utcTime(0) { body(call, time.milliseconds) } else { call.giveNull() }
}

private func difference(_ call: QueryCall, _ time: (Int) -> WallTime?) {
    guard !call.propagates(3), let end = time(0), let start = time(1), let unit = call.dateUnit(2)
    else { return }
    call.give(Int64(unit.count(from: start, to: end)))
}

private func addToMilliseconds(_ call: QueryCall) {
    guard !call.propagates(3), let start = call.utcTime(0), let amount = call.wholePart(1) else {
        return
    }
    if let time = call.dateUnit(2)?.add(amount, to: start) {
        call.give(Int64(time.milliseconds))
    } else {
        call.giveNull()
    }
}

private func addToDate(_ call: QueryCall) {
    guard !call.propagates(4), let date = call.date(0, allowsTimeAlone: true),
        let amount = call.wholePart(1)
    else {
        return
    }
    guard let unit = call.dateUnit(2) else { return call.giveNull() }
    if let offset = date.offset {
        return call.give(date: unit.add(amount, to: date.time), offset: offset, call.dateFormat(3))
    }
    // In the device's zone, days and longer units are counted on the calendar, hours and shorter units in elapsed time.
    let offset = DeviceZone.offset(atWall: date.time)
    if unit.isOfCalendar {
        let time = unit.add(amount, to: date.time)
        call.give(
            date: time, offset: time.map(DeviceZone.offset(atWall:)) ?? offset, call.dateFormat(3))
    } else {
        let time = date.time.ahead(minutes: -offset).flatMap { unit.add(amount, to: $0) }
        guard let time else { return call.giveNull() }
        call.give(utcMilliseconds: time.milliseconds, DeviceZone.offset(atUTC: time.milliseconds), 3)
    }
}

private func truncateDate(_ call: QueryCall) {
    guard !call.propagates(2) else { return }
    guard let text = call.dateText(0), let date = call.date(0),
        let start = call.dateUnit(1)?.start(of: date.time)
    else {
        return call.giveNull()
    }
    call.giveText(DateFormat.maximumByteCount + date.zone.count) { output in
        DateFormat(like: date).append(start, offset: 0, to: &output)
        for index in date.zone { output.append(text[index]) }
    }
}

/// The SQL function `query_date_range_str(from, to, unit [, n])`: an array of the dates from a start up to an end, which
/// is excluded, `n` units apart, in the form of the start.
private func dateRange(_ call: QueryCall) throws {
    guard !call.propagates(4) else { return }
    guard let text = call.dateText(0), let start = call.date(0), let end = call.date(1), let unit = call.dateUnit(2),
        let step = call.optional(3).map(\.wholeNumber) ?? 1
    else {
        return call.giveNull()
    }
    let count = step == 0 ? 0 : unit.count(from: start.time, to: end.time) / Int(step)
    guard count <= ValueText.maximumByteCount / DateFormat.maximumByteCount else { return call.giveNull() }
    let limit = end.milliseconds(inZoneOf: start)
    let format = DateFormat(like: start)
    var writer = JSONBWriter()
    let begun = writer.begin(guess: 1024)
    var next: WallTime? = start.time
    while let time = next, step > 0 && time.milliseconds < limit || step < 0 && time.milliseconds > limit {
        try call.charge(1)
        let date = format.text(time, zone: text.span, start.zone)
        writer.element(JSONBWriter.stringType(date.span), date.span, 0, date.count)
        next = unit.add(Int(step), to: time)
    }
    writer.end(JSONBType.array, begun)
    try call.give(writer)
}

extension DateText {
    /// Returns the date as the local time in the zone of another one, in milliseconds since 1970-01-01T00:00:00 there.
    /// Without a zone in both, they are in the same zone.
    fileprivate func milliseconds(inZoneOf other: DateText) -> Int {
        guard offset != nil || other.offset != nil else { return time.milliseconds }
        return utcMilliseconds + (other.offset ?? DeviceZone.offset(atUTC: utcMilliseconds)) * 60_000
    }
}

extension DateFormat {
    /// Returns a local time in this format, followed by the part of a text that is its zone.
    fileprivate func text(_ time: WallTime, zone text: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        let capacity = Self.maximumByteCount + range.count
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            append(time, offset: 0, to: &output)
            count = unsafe output.finalize(for: buffer)
        }
        for index in range { bytes.append(text[index]) }
        return bytes
    }
}

// MARK: - Arguments and results

extension QueryCall {
    /// Returns the date in the argument with an index, in either stored form: ISO 8601 text, or `{"$date": …}`; nil for
    /// any other value.
    fileprivate func date(_ index: Int, allowsTimeAlone: Bool = false) -> DateText? {
        let value = self[index]
        if case .string(let text) = value {
            return DateText(unsafe text.payload.span, allowsTimeAlone: allowsTimeAlone)
        }
        return value.wrappedTime.flatMap { DateText(Array($0.description.utf8).span) }
    }

    /// Returns the text of the date in the argument with an index, from which `date` is parsed.
    fileprivate func dateText(_ index: Int) -> [UInt8]? {
        let value = self[index]
        if case .string(let text) = value { return unsafe Array(text.payload) }
        return value.wrappedTime.map { Array($0.description.utf8) }
    }

    /// Returns the integer part of the argument with an index; nil if it isn't an integer or a double, or 64 bits can't
    /// represent it.
    fileprivate func wholePart(_ index: Int) -> Int? {
        switch self[index] {
        case .integer(let value): Int(value)
        case .double(let value): Int(exactly: value.rounded(.towardZero))
        default: nil
        }
    }

    /// Returns the argument with an index, in milliseconds since 1970 or a date in either stored form, as a time in UTC;
    /// nil for any other value, for text without a zone, whose time depends on the device, and outside of the years 0 to
    /// 9999.
    fileprivate func utcTime(_ index: Int) -> WallTime? {
        switch self[index] {
        case .integer(let value): WallTime(milliseconds: Int(value))
        case .double(let value): Int(exactly: value.rounded(.down)).flatMap(WallTime.init(milliseconds:))
        case .string, .object:
            date(index).flatMap { $0.offset == nil ? nil : WallTime(milliseconds: $0.utcMilliseconds) }
        default: nil
        }
    }

    fileprivate func dateUnit(_ index: Int) -> DateUnit? {
        guard let text = self[index].text else { return nil }
        return DateUnit(name: unsafe text.payload.span)
    }

    /// Returns the date format that the optional argument with an index describes, by default the standard one.
    fileprivate func dateFormat(_ index: Int) -> DateFormat {
        guard let text = optional(index)?.text else { return .standard }
        return DateFormat(unsafe text.payload.span)
    }

    /// Returns the argument with an index as a zone's offset from UTC in minutes; nil if it isn't a number, or a day or
    /// more.
    fileprivate func zoneOffset(_ index: Int) -> Int? {
        wholePart(index).flatMap { (-1439...1439).contains($0) ? $0 : nil }
    }

    /// Sets the result to a time in a zone that is `offset` minutes ahead of UTC, in the format that the optional
    /// argument with the index `format` describes; NULL if the offset is nil, or the local time is outside of the years
    /// 0 to 9999.
    fileprivate func give(utcMilliseconds: Int, _ offset: Int?, _ format: Int) {
        guard let offset else { return giveNull() }
        give(
            date: WallTime(milliseconds: utcMilliseconds + offset * 60_000), offset: offset,
            dateFormat(format))
    }

    fileprivate func give(date: WallTime?, offset: Int, _ format: DateFormat) {
        guard let date else { return giveNull() }
        giveText(DateFormat.maximumByteCount) { format.append(date, offset: offset, to: &$0) }
    }

    /// Sets the result to the value of the field, named by the second argument, of a date in a zone that is `offset`
    /// minutes ahead of UTC; NULL if there is none.
    fileprivate func give(field time: WallTime?, offset: Int?) {
        guard let time, let text = self[1].text, let field = DateField(name: unsafe text.payload.span),
            let value = field.value(of: time, offset: offset)
        else { return giveNull() }
        give(Int64(value))
    }

    /// Sets the result to a text of at most `capacity` bytes, which `fill` writes.
    fileprivate func giveText(_ capacity: Int, _ fill: (inout OutputSpan<UInt8>) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            fill(&output)
            let count = unsafe output.finalize(for: buffer)
            unsafe give(text: UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

extension FunctionValue {
    /// The time that the value represents if it is an object of the form `{"$date": …}`; nil for any other value.
    fileprivate var wrappedTime: DateTime? {
        guard case .object(let content) = self else { return nil }
        guard case .datetime(let time)? = BSON(stored: content.element, in: unsafe content.payload.span) else {
            return nil
        }
        return time
    }
}
