import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The form of Extended JSON in the output.
struct ExtendedJSONOptions: ParsableArguments {
    @Flag(help: "Write Extended JSON in its canonical form.")
    var canonical = false

    var form: ExtendedJSONForm { canonical ? .canonical : .relaxed }
}
