import CSQLite

/// Interrupts the running statement of a connection, from any thread. https://sqlite.org/c3ref/interrupt.html
// Sendable: sqlite3_interrupt may be called from any thread while the connection is open.
@safe package struct Interrupter: @unchecked Sendable {
    let handle: OpaquePointer

    package func interrupt() { unsafe sqlite3_interrupt(handle) }
}
