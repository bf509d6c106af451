import CoreMetrics
import Synchronization

/// The back end of swift-metrics that `sealite serve --metrics-port` shows: counters, gauges and histograms with fixed
/// buckets. Thread-safe.
///
/// A measure is looked up once, when it is made; afterwards counting is an atomic addition, or a short lock.
final class MetricsRegistry: MetricsFactory {
    enum Kind: String { case counter, gauge, histogram }

    struct Family {
        let kind: Kind
        /// The series by the text of their labels, as `{direction="sent"}`; empty for none.
        var series: [String: any MetricSeries] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var seriesCount = 0
        var droppedCount = 0
    }

    /// The largest number of series; further ones are dropped and counted.
    static let seriesLimit = 1_000
    private let state = Mutex(State())

    /// The families by their names, and the number of series that were dropped.
    var content: (families: [(name: String, family: Family)], droppedCount: Int) {
        let (families, dropped) = state.withLock { ($0.families, $0.droppedCount) }
        return (families.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, dropped)
    }

    /// Returns the series of a name and labels, which is made if it isn't there; nil if there are too many, or the name
    /// has another kind.
    func series<Series: MetricSeries>(
        _ label: String, _ dimensions: [(String, String)], make: () -> Series
    ) -> Series? {
        let name = Self.name(label)
        let labels = Self.text(of: dimensions)
        return state.withLock { state in
            if let found = state.families[name]?.series[labels] {
                if found is Series { return found as? Series }
                state.droppedCount += 1
                return nil
            }
            if let family = state.families[name], family.kind != Series.kind || state.seriesCount >= Self.seriesLimit {
                state.droppedCount += 1
                return nil
            }
            guard state.seriesCount < Self.seriesLimit else {
                state.droppedCount += 1
                return nil
            }
            let made = make()
            state.families[name, default: Family(kind: Series.kind)].series[labels] = made
            state.seriesCount += 1
            return made
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions) { CounterSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions) { FractionSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions) { GaugeSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return series(label, dimensions) { GaugeSeries() } ?? NOOPMetricsHandler.instance }
        return series(label, dimensions) { HistogramSeries() } ?? NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions) { HistogramSeries() } ?? NOOPMetricsHandler.instance
    }

    // A series that was shown stays, as a counter that disappears and begins anew would be misread.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    // MARK: - Names

    /// Returns a name as Prometheus allows it: letters, digits, `_` and `:`, and no digit first.
    static func name(_ text: String) -> String { allowed(text, and: ":") }

    private static func allowed(_ text: String, and more: Unicode.Scalar?) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            let isLetter =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_" || scalar == more
            let isDigit = ("0"..."9").contains(scalar)
            if isDigit, name.isEmpty { name = "_" }
            name.unicodeScalars.append(isLetter || isDigit ? scalar : "_")
        }
        return name.isEmpty ? "_" : name
    }

    /// Returns labels as they stand behind a name, in the order of their names; empty for none.
    static func text(of labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let parts = labels.map { (allowed($0.0, and: nil), $0.1) }.sorted { $0.0 < $1.0 }
            .map { "\($0.0)=\"\(escaped($0.1))\"" }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// The values of one name with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    static var kind: MetricsRegistry.Kind { get }
    /// Adds the lines of the series to a page.
    func write(_ name: String, _ labels: String, to text: inout String)
}

/// A count of whole numbers.
final class CounterSeries: CounterHandler, MetricSeries {
    static let kind = MetricsRegistry.Kind.counter
    private let value = Atomic<Int64>(0)

    /// Adds an amount. Negative ones are ignored, since a counter doesn't fall.
    func increment(by amount: Int64) {
        if amount > 0 { value.wrappingAdd(amount, ordering: .relaxed) }
    }

    func reset() { value.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += "\(name)\(labels) \(value.load(ordering: .relaxed))\n"
    }
}

/// A count of fractions.
final class FractionSeries: FloatingPointCounterHandler, MetricSeries {
    static let kind = MetricsRegistry.Kind.counter
    private let value = Mutex(0.0)

    func increment(by amount: Double) {
        if amount > 0, amount.isFinite { value.withLock { $0 += amount } }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += "\(name)\(labels) \(value.withLock { $0 }.metricText)\n"
    }
}

/// A value that rises and falls.
final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    static let kind = MetricsRegistry.Kind.gauge
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += "\(name)\(labels) \(value.withLock { $0 }.metricText)\n"
    }
}

/// A histogram of seconds.
final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    static let kind = MetricsRegistry.Kind.histogram
    /// The upper bounds of the buckets, in seconds; one without a bound follows.
    static let bounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60,
    ]

    private struct State {
        var counts = [UInt64](repeating: 0, count: HistogramSeries.bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        var index = 0
        while index < Self.bounds.count, value > Self.bounds[index] { index += 1 }
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let state = state.withLock { $0 }
        let rest = labels.isEmpty ? "" : labels.dropFirst().dropLast() + ","
        var count: UInt64 = 0
        for (index, number) in state.counts.enumerated() {
            count += number
            let bound = index < Self.bounds.count ? Self.bounds[index].metricText : "+Inf"
            text += "\(name)_bucket{\(rest)le=\"\(bound)\"} \(count)\n"
        }
        text += "\(name)_sum\(labels) \(state.sum.metricText)\n\(name)_count\(labels) \(count)\n"
    }
}

extension Double {
    /// The number in Prometheus' text form: whole ones without a point.
    var metricText: String {
        if self == rounded(), magnitude < 1e15 { return "\(Int64(self))" }
        return isNaN ? "NaN" : isInfinite ? (self > 0 ? "+Inf" : "-Inf") : "\(self)"
    }
}
