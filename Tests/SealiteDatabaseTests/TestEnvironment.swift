import Foundation

enum TestEnvironment {
    static var isSoak: Bool { ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil }
    static var steps: Int? { ProcessInfo.processInfo.environment["SEALITE_STEPS"].flatMap { Int($0) } }
}
