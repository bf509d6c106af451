// Compares shapes of the documents' table and of its indexes on stock SQLite: Documentation/DocumentFormat.md §3.3.
// Build: cc -O2 shapes.c -lsqlite3 -o shapes
// Usage: shapes sequence|number|keys|triggers INDEXES [changed]
//   sequence  rows keyed by sequence, as format 1 had them, and expression indexes
//   number    rows keyed by a number that stays, and expression indexes
//   keys      rows keyed by a number, and a table of keys for each index, which the program writes where a key changed
//   triggers  the same tables, written by triggers
//   changed   updates change the key of every index (not for `keys`)
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { rows = 40000, updates = 10000, body_size = 255, most_indexes = 6 };

static double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void fail(sqlite3 *database, const char *what) {
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
    exit(1);
}

static void run(sqlite3 *database, const char *sql) {
    if (sqlite3_exec(database, sql, 0, 0, 0)) fail(database, sql);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, 0)) fail(database, sql);
    return statement;
}

static void step(sqlite3 *database, sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail(database, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

// field(body, k): the k-th of the numbers at a body's beginning.
static void field(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const unsigned char *body = sqlite3_value_blob(values[0]);
    int64_t number;
    if (!body) return sqlite3_result_null(context);
    memcpy(&number, body + 8 * sqlite3_value_int(values[1]), 8);
    sqlite3_result_int64(context, number);
}

// differs(a, b, n): whether one of the first n numbers differs.
static void differs(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    int bytes = 8 * sqlite3_value_int(values[2]);
    sqlite3_result_int(context, memcmp(sqlite3_value_blob(values[0]), sqlite3_value_blob(values[1]), bytes) != 0);
}

static uint64_t state = 88172645463325252ull;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static unsigned char body[body_size], revision[21];

static void make_body(int64_t seed, int64_t version) {
    for (int k = 0; k < most_indexes; k++) {
        int64_t number = (int64_t)(((uint64_t)seed * 2654435761u + k * 977) % 100000);
        memcpy(body + 8 * k, &number, 8);
    }
    memcpy(body + 8 * most_indexes, &version, 8);
    for (int k = 0; k < 21; k++) revision[k] = (unsigned char)next_random();
}

static void make_schema(sqlite3 *database, const char *shape, int indexes) {
    char sql[8192] = "", inserted[4096] = "", changed[4096] = "";
    int is_stable = strcmp(shape, "sequence") != 0;
    run(database, is_stable
        ? "CREATE TABLE d(number INTEGER PRIMARY KEY, id TEXT NOT NULL, sequence INTEGER NOT NULL, flags INTEGER NOT NULL,"
          " revision BLOB NOT NULL, expires INTEGER, body BLOB, tree BLOB) STRICT;"
          "CREATE UNIQUE INDEX d_id ON d(id); CREATE UNIQUE INDEX d_sequence ON d(sequence)"
        : "CREATE TABLE d(sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, flags INTEGER NOT NULL, revision BLOB NOT NULL,"
          " expires INTEGER, body BLOB, tree BLOB) STRICT; CREATE UNIQUE INDEX d_id ON d(id)");
    int has_tables = !strcmp(shape, "keys") || !strcmp(shape, "triggers");
    for (int k = 0; k < indexes; k++) {
        if (!has_tables) {
            snprintf(sql, sizeof sql, "CREATE INDEX x%d ON d(field(body, %d))", k, k);
            run(database, sql);
            continue;
        }
        snprintf(sql, sizeof sql,
            "CREATE TABLE k%d(key ANY, document INTEGER, PRIMARY KEY(key, document)) WITHOUT ROWID, STRICT", k);
        run(database, sql);
        sprintf(inserted + strlen(inserted), "INSERT INTO k%d VALUES(field(new.body, %d), new.number);", k, k);
        sprintf(changed + strlen(changed),
            "DELETE FROM k%d WHERE key = field(old.body, %d) AND document = new.number"
            " AND field(new.body, %d) IS NOT field(old.body, %d);"
            "INSERT OR IGNORE INTO k%d VALUES(field(new.body, %d), new.number);", k, k, k, k, k, k);
    }
    if (!strcmp(shape, "triggers") && indexes) {
        snprintf(sql, sizeof sql, "CREATE TRIGGER inserted AFTER INSERT ON d BEGIN %s END", inserted);
        run(database, sql);
        snprintf(sql, sizeof sql,
            "CREATE TRIGGER changed AFTER UPDATE OF body ON d WHEN differs(old.body, new.body, %d) BEGIN %s END", indexes, changed);
        run(database, sql);
    }
}

static double insert_all(sqlite3 *database, int writes_keys, int indexes) {
    sqlite3_stmt *keys[most_indexes];
    char sql[128], id[32];
    for (int k = 0; writes_keys && k < indexes; k++) {
        snprintf(sql, sizeof sql, "INSERT INTO k%d VALUES(?1, ?2)", k);
        keys[k] = prepare(database, sql);
    }
    sqlite3_stmt *insert = prepare(database, "INSERT INTO d(sequence, id, flags, revision, body) VALUES(?1, ?2, 0, ?3, ?4)");
    double start = processor_time();
    run(database, "BEGIN");
    for (int i = 1; i <= rows; i++) {
        make_body(i, 0);
        sqlite3_bind_int64(insert, 1, i);
        sqlite3_bind_text(insert, 2, id, snprintf(id, sizeof id, "doc-%010d", i), SQLITE_STATIC);
        sqlite3_bind_blob(insert, 3, revision, sizeof revision, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 4, body, sizeof body, SQLITE_STATIC);
        step(database, insert);
        for (int k = 0; writes_keys && k < indexes; k++) {
            int64_t key;
            memcpy(&key, body + 8 * k, 8);
            sqlite3_bind_int64(keys[k], 1, key);
            sqlite3_bind_int64(keys[k], 2, i);
            step(database, keys[k]);
        }
    }
    run(database, "COMMIT");
    double taken = processor_time() - start;
    sqlite3_finalize(insert);
    for (int k = 0; writes_keys && k < indexes; k++) sqlite3_finalize(keys[k]);
    return taken / rows * 1e6;
}

// Random updates, each after a read by id. A program that writes keys itself compares them first, which this one does too.
static double update_some(sqlite3 *database, int is_stable, int indexes, int changes) {
    char id[32];
    sqlite3_stmt *select = prepare(database, is_stable
        ? "SELECT number, body FROM d WHERE id = ?1" : "SELECT sequence, body FROM d WHERE id = ?1");
    sqlite3_stmt *update = prepare(database, is_stable
        ? "UPDATE d SET sequence = ?2, flags = 0, revision = ?3, body = ?4, tree = ?3 WHERE number = ?1"
        : "UPDATE d SET sequence = ?2, flags = 0, revision = ?3, body = ?4, tree = ?3 WHERE sequence = ?1");
    double start = processor_time();
    run(database, "BEGIN");
    for (int i = 0; i < updates; i++) {
        int row = 1 + (int)(next_random() % rows);
        sqlite3_bind_text(select, 1, id, snprintf(id, sizeof id, "doc-%010d", row), SQLITE_STATIC);
        if (sqlite3_step(select) != SQLITE_ROW) fail(database, "a row is missing");
        sqlite3_bind_int64(update, 1, sqlite3_column_int64(select, 0));
        unsigned char old[body_size];
        memcpy(old, sqlite3_column_blob(select, 1), body_size);
        sqlite3_reset(select);
        make_body(changes ? row + (int64_t)i * 7919 : row, i);
        if (!changes && memcmp(old, body, 8 * indexes)) exit(2);
        sqlite3_bind_int64(update, 2, rows + 1 + i);
        sqlite3_bind_blob(update, 3, revision, sizeof revision, SQLITE_STATIC);
        sqlite3_bind_blob(update, 4, body, sizeof body, SQLITE_STATIC);
        step(database, update);
    }
    run(database, "COMMIT");
    double taken = processor_time() - start;
    sqlite3_finalize(select);
    sqlite3_finalize(update);
    return taken / updates * 1e6;
}

// The best of five, in microseconds a row.
static double read_all(sqlite3 *database, const char *sql) {
    double best = 1e9;
    sqlite3_stmt *select = prepare(database, sql);
    for (int i = 0; i < 5; i++) {
        double start = processor_time();
        int64_t sum = 0;
        while (sqlite3_step(select) == SQLITE_ROW) sum += sqlite3_column_int64(select, 0);
        sqlite3_reset(select);
        double taken = processor_time() - start;
        if (sum && taken < best) best = taken;
    }
    sqlite3_finalize(select);
    return best / rows * 1e6;
}

static double megabytes(const char *path) {
    struct stat status;
    return stat(path, &status) ? 0 : status.st_size / 1e6;
}

int main(int count, char **arguments) {
    int indexes = count > 2 ? atoi(arguments[2]) : -1, changes = count > 3;
    if (indexes < 0 || indexes > most_indexes) return 64;
    const char *shape = arguments[1];
    char folder[] = "/tmp/shapes-XXXXXX", path[64], log[80], shm[80];
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/d.db", folder);
    snprintf(log, sizeof log, "%s-wal", path);
    snprintf(shm, sizeof shm, "%s-shm", path);
    sqlite3 *database;
    if (sqlite3_open(path, &database)) return 1;
    sqlite3_create_function_v2(database, "field", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, field, 0, 0, 0);
    sqlite3_create_function_v2(database, "differs", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, differs, 0, 0, 0);
    run(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 0");
    make_schema(database, shape, indexes);
    double inserting = insert_all(database, !strcmp(shape, "keys"), indexes);
    run(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    double file = megabytes(path);
    double updating = update_some(database, strcmp(shape, "sequence") != 0, indexes, changes);
    double logged = megabytes(log);
    run(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    double in_sequence = read_all(database, "SELECT length(id) + length(revision) + sequence FROM d WHERE sequence > 0 ORDER BY sequence");
    double scanning = read_all(database, "SELECT field(body, 5) FROM d");
    printf("%-9s %d %-8s insert %5.2f us, update %5.2f us, log %4.1f MB, file %4.1f MB, in sequence %4.2f us, scan %4.2f us\n",
        shape, indexes, changes ? "changed" : "", inserting, updating, logged, file, in_sequence, scanning);
    sqlite3_close(database);
    unlink(path);
    unlink(log);
    unlink(shm);
    return rmdir(folder);
}
