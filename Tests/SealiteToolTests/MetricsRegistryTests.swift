import CoreMetrics
import Foundation
import Testing

@testable import SealiteTool

@Suite("numbers for Prometheus")
struct MetricsRegistryTests {
    private let registry = MetricsRegistry()

    @Test("counters, gauges and histograms are shown with their values, by name and labels")
    func values() throws {
        let sent = registry.makeCounter(label: "things_total", dimensions: [("way", "sent")])
        sent.increment(by: 2)
        sent.increment(by: -5)
        registry.makeCounter(label: "things_total", dimensions: [("way", "sent")]).increment(by: 1)
        registry.makeCounter(label: "things_total", dimensions: [("way", "received"), ("a", "b")]).increment(by: 7)
        let gauge = registry.makeMeter(label: "level", dimensions: [])
        gauge.increment(by: 3)
        gauge.decrement(by: 0.5)
        registry.makeFloatingPointCounter(label: "part_total", dimensions: []).increment(by: 0.25)
        registry.makeRecorder(label: "last", dimensions: [], aggregate: false).record(Int64(1_800_000_000))
        let timer = registry.makeTimer(label: "time_seconds", dimensions: [])
        for nanoseconds in [100_000, 100_001, 3_000_000_000, 90_000_000_000] as [Int64] {
            timer.recordNanoseconds(nanoseconds)
        }
        let page = try ParsedMetrics(MetricsPage.text(registry))
        #expect(page["things_total{way=\"sent\"}"] == 3 && page["things_total{a=\"b\",way=\"received\"}"] == 7)
        #expect(page["level"] == 2.5 && page["part_total"] == 0.25 && page["last"] == 1_800_000_000)
        #expect(page["time_seconds_bucket{le=\"0.0001\"}"] == 1 && page["time_seconds_bucket{le=\"0.00025\"}"] == 2)
        #expect(page["time_seconds_bucket{le=\"60\"}"] == 3 && page["time_seconds_count"] == 4)
        #expect(abs((page["time_seconds_sum"] ?? 0) - 93.000200001) < 1e-9)
        #expect(page.kinds["things_total"] == "counter" && page.kinds["level"] == "gauge")
        #expect(page["process_open_fds"] ?? 0 > 2 && page["process_resident_memory_bytes"] ?? 0 > 1_000_000)
    }

    @Test("names and labels that Prometheus doesn't allow are changed, and values are escaped")
    func names() throws {
        registry.makeCounter(label: "9 lives.total", dimensions: [("o-k", "a\"b\\c\nd")]).increment(by: 1)
        let text = MetricsPage.text(registry)
        #expect(text.contains("_9_lives_total{o_k=\"a\\\"b\\\\c\\nd\"} 1\n"))
        _ = try ParsedMetrics(text.replacing("a\\\"b\\\\c\\nd", with: "x"))
    }

    @Test("the number of series is bounded, and what is dropped is counted; a name has one kind")
    func bounded() throws {
        for number in 0..<MetricsRegistry.seriesLimit + 5 {
            registry.makeCounter(label: "many_total", dimensions: [("n", "\(number)")]).increment(by: 1)
        }
        let full = try ParsedMetrics(MetricsPage.text(registry))
        #expect(full.values.keys.count { $0.hasPrefix("many_total") } == MetricsRegistry.seriesLimit)
        #expect(full["sealite_metrics_dropped_total"] == 5)
        registry.makeCounter(label: "many_total", dimensions: [("n", "1")]).increment(by: 1)
        registry.makeMeter(label: "many_total", dimensions: [("n", "1")]).set(Int64(9))
        let page = try ParsedMetrics(MetricsPage.text(registry))
        #expect(page["many_total{n=\"1\"}"] == 2 && page["sealite_metrics_dropped_total"] == 6)
    }

    @Test("the documentation lists each measure of the page with its meaning, and nothing else")
    func documented() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Documentation/Metrics.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let rows = text.matches(of: #/(?m)^\| `((?:sealite|process)_[a-z_]+)` \|/#).map { String($0.1) }
        #expect(rows.sorted() == MetricsPage.meanings.keys.sorted())
    }
}
