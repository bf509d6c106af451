import Foundation

/// An SQLite extension in C, as a program with collations and functions of its own has one: the collation `LOCALIZED`, which
/// ignores the case of ASCII letters, and the function `fold`, which makes them small. It marks neither as harmless.
package final class TestExtension {
    private let folder: String
    /// The path of the library.
    package let path: String

    /// The compiler that is in a Swift toolchain compiles it, outside of `/dev/shm`, from which some systems load nothing.
    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sealite-extension-\(UUID())").path
        path = folder + "/names.so"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Self.source.write(toFile: folder + "/names.c", atomically: false, encoding: .utf8)
        // It lies beside `swift`, which may be a link.
        let made = try Command.run(
            "sh",
            [
                "-c",
                "PATH=$PATH:$(dirname \"$(readlink -f \"$(command -v swift)\")\"); exec clang -shared -fPIC -o \"$1\" \"$2\"",
                "sh", path, folder + "/names.c",
            ])
        guard made.status == 0 else { throw Unusable(errors: made.errors) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private struct Unusable: Error {
        let errors: String
    }

    private static let source = """
        #include <sqlite3ext.h>
        SQLITE_EXTENSION_INIT1
        static int small(unsigned char letter) { return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter; }
        static int compare(void *unused, int count, const void *left, int other, const void *right) {
            const unsigned char *a = left, *b = right;
            for (int i = 0; i < count && i < other; i++)
                if (small(a[i]) != small(b[i])) return small(a[i]) - small(b[i]);
            return count - other;
        }
        static void fold(sqlite3_context *context, int count, sqlite3_value **values) {
            char *text = sqlite3_mprintf("%s", sqlite3_value_text(values[0]));
            for (char *at = text; at && *at; at++) *at = small(*at);
            sqlite3_result_text(context, text, -1, sqlite3_free);
        }
        int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
            SQLITE_EXTENSION_INIT2(api);
            int code = sqlite3_create_collation(db, "LOCALIZED", SQLITE_UTF8, 0, compare);
            if (code != SQLITE_OK) return code;
            return sqlite3_create_function(db, "fold", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, fold, 0, 0);
        }
        """
}
