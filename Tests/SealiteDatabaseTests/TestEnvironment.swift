import Foundation

enum TestEnvironment {
    static var seed: UInt64? { ProcessInfo.processInfo.environment["SEALITE_SEED"].flatMap { UInt64($0) } }
}

extension TestEnvironment {
    static var isSoak: Bool { ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil }
    static var steps: Int? { ProcessInfo.processInfo.environment["SEALITE_STEPS"].flatMap { Int($0) } }
}
