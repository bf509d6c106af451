import Glibc
import SealiteFile

/// The page of `sealite serve --metrics-port`, in Prometheus' text exposition format 0.0.4.
enum MetricsPage {
    static let path = "/metrics"
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The meaning of each measure, by its name: the HELP lines of the page, and the table of Documentation/Metrics.md.
    static let meanings = [
        "process_cpu_seconds_total": "Processor time, user and system.",
        "process_max_fds": "The largest number of open file descriptors.",
        "process_open_fds": "Open file descriptors.",
        "process_resident_memory_bytes": "Resident memory.",
        "sealite_build_info": "1; the label names the version.",
        "sealite_database_busy_total": "Transactions that gave up, since others wrote for too long.",
        "sealite_database_commit_seconds": "Time of the commit of a transaction, with its wait for the disk.",
        "sealite_database_file_bytes": "Size of the database file.",
        "sealite_database_rollbacks_total": "Transactions that were undone.",
        "sealite_database_wal_bytes": "Size of the write-ahead log.",
        "sealite_database_write_wait_seconds": "Time from the call until a write transaction began.",
        "sealite_listener_accepted_total": "Peers whose handshake succeeded.",
        "sealite_listener_active_connections": "Connections with a replication in progress.",
        "sealite_listener_authentication_failures_total": "Requests answered with 401.",
        "sealite_listener_blobs_total": "Blobs that were transferred.",
        "sealite_listener_connections": "Connections of peers.",
        "sealite_listener_deltas_total": "Documents that were transferred as differences.",
        "sealite_listener_documents_refused_total": "Documents of peers that weren't stored, by HTTP status or reason.",
        "sealite_listener_documents_total": "Documents stored for peers, and sent to them.",
        "sealite_listener_network_bytes_total": "Bytes read from and written to sockets, with TLS and handshakes.",
        "sealite_listener_refused_total": "Handshakes that were refused, by HTTP status, or tls.",
        "sealite_listener_sockets": "Open TCP connections, handshakes included.",
        "sealite_listener_store_seconds":
            "Time to store a batch of a peer's documents, with waiting for other writers.",
        "sealite_metrics_dropped_total": "Series that were dropped, since there are too many.",
        "sealite_replicator_document_errors_total": "Documents that couldn't be replicated, by error.",
        "sealite_replicator_documents_total": "Documents that were pulled and pushed.",
        "sealite_replicator_last_success_timestamp_seconds":
            "Time, since 1970, at which a replicator had last caught up.",
        "sealite_replicator_reconnects_total": "Attempts to connect after a pause.",
        "sealite_replicator_session_errors_total": "Errors that ended a session or prevented one, by error.",
        "sealite_replicators": "Running replicators by activity.",
    ]

    /// Returns the page with the present values.
    static func text(_ registry: MetricsRegistry) -> String {
        let (families, droppedCount) = registry.content
        var text = ""
        for (name, family) in families {
            head(name, family.kind, &text)
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, to: &text)
            }
        }
        line("sealite_metrics_dropped_total", .counter, "\(droppedCount)", &text)
        line(
            "sealite_build_info", .gauge, "1", labels: MetricsRegistry.text(of: [("version", SealiteVersion.number)]),
            &text)
        process(&text)
        return text
    }

    private static func head(_ name: String, _ kind: MetricsRegistry.Kind, _ text: inout String) {
        if let meaning = meanings[name] { text += "# HELP \(name) \(meaning)\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func line(
        _ name: String, _ kind: MetricsRegistry.Kind, _ value: String, labels: String = "", _ text: inout String
    ) {
        head(name, kind, &text)
        text += "\(name)\(labels) \(value)\n"
    }

    /// Adds the measures of the process that Prometheus' own libraries have, by their names.
    private static func process(_ text: inout String) {
        var usage = rusage()
        if unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            let times = [usage.ru_utime, usage.ru_stime]
            let seconds = times.reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
            line("process_cpu_seconds_total", .counter, seconds.metricText, &text)
        }
        if let pages = ProcessRecords.residentPageCount {
            line("process_resident_memory_bytes", .gauge, "\(pages * sysconf(CInt(_SC_PAGESIZE)))", &text)
        }
        if let count = ProcessRecords.openDescriptorCount { line("process_open_fds", .gauge, "\(count)", &text) }
        var limit = rlimit()
        if unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            line("process_max_fds", .gauge, "\(limit.rlim_cur)", &text)
        }
    }
}

/// The system's records of this process, in /proc.
enum ProcessRecords {
    /// The number of resident pages; nil if it can't be read.
    static var residentPageCount: Int? {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]) : nil
    }

    /// The number of open file descriptors; nil if it can't be read.
    static var openDescriptorCount: Int? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Without ".", ".." and the descriptor of the folder itself.
        return max(count - 3, 0)
    }
}
