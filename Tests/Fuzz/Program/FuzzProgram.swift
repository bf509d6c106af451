import CSQLite
import Glibc

// What libFuzzer calls. Not part of the package: `scripts/fuzz.sh` compiles it.

// libFuzzer calls from one thread, and nothing else touches it.
nonisolated(unsafe) private let target: any FuzzTarget = {
    // Another process that might still be writing is waited for in production; there is none here.
    unsafe sqlite3_vfs_find(nil)?.pointee.xSleep = { _, _ in 0 }
    let name = unsafe getenv("SEALITE_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let known = FuzzTargetName(rawValue: name) else {
        fatalError("SEALITE_FUZZ_TARGET is one of \(FuzzTargetName.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    do {
        return try known.make()
    } catch {
        fatalError("the target can't be set up: \(error)")
    }
}()

/// Runs the target that the environment names over one input, and traps where a property is broken.
@_cdecl("LLVMFuzzerTestOneInput")
public func runOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try unsafe target.run(input)
    } catch {
        fatalError("\(error)")
    }
    return 0
}
