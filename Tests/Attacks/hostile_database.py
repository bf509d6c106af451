#!/usr/bin/env python3
"""The attacker makes a sealed database with a key that the victim gets too: values out of range, values of other types than their
columns', views and triggers in place of tables, other definitions. Every command has to end with an error or a result: not by a
signal, and within five seconds of processor time.

Usage: hostile_database.py SEALITE [--all] [ALTERATION ...]. Without --all each alteration meets only some of the commands.
"""

import concurrent.futures
import os
import re
import resource
import shutil
import subprocess
import sys

arguments, sys.argv = sys.argv, sys.argv[:2]

from _bench import Bench  # noqa: E402

BIG = 9223372036854775807
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
KEY = ["-k", "key"]


def schema(statements):
    return "PRAGMA writable_schema=ON; PRAGMA ignore_check_constraints=ON; %s; PRAGMA writable_schema=RESET" % statements


def loose(table, statements):
    """Statements that store values which the STRICT table would refuse."""
    word = "replace(replace(sql, ', STRICT', ''), ' STRICT', '')"
    return (
        "PRAGMA writable_schema=ON; PRAGMA ignore_check_constraints=ON;"
        " CREATE TEMP TABLE kept AS SELECT sql FROM main.sqlite_schema WHERE name='%s';"
        " UPDATE sqlite_schema SET sql=%s WHERE name='%s'; PRAGMA writable_schema=RESET; PRAGMA ignore_check_constraints=ON; %s;"
        " PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=(SELECT sql FROM temp.kept) WHERE name='%s';"
        " PRAGMA writable_schema=RESET" % (table, word, table, statements, table)
    )


def view(name, columns):
    """Statements that put an endless view in place of a table."""
    return schema(
        "DELETE FROM sqlite_schema WHERE tbl_name='%s'; INSERT INTO sqlite_schema VALUES('view', '%s', '%s', 0,"
        " 'CREATE VIEW %s AS %s SELECT %s FROM c')" % (name, name, name, name, ENDLESS, columns)
    )


DOCUMENT = (
    "x AS number, ''id'' || x AS id, x AS sequence, 0 AS flags, x''0201'' AS revision, NULL AS expires, x''0c'' AS body,"
    " NULL AS tree"
)

# Each has a name, statements, and the commands that meet it even without --all.
ALTERATIONS = [
    # Numbers out of range
    ("sequence of a collection", "UPDATE collections SET sequence=%d" % BIG, "put delete"),
    ("negative sequence of a collection", "UPDATE collections SET sequence=-%d" % BIG, "put info list"),
    ("number of a collection", "UPDATE collections SET number=-5 WHERE number=2", "info verify salvage"),
    ("great number of a collection", "UPDATE collections SET number=%d WHERE number=2" % BIG, "info verify salvage"),
    ("least number of a collection", "UPDATE collections SET number=-%d-1 WHERE number=2" % BIG, "info verify salvage"),
    ("count of purges", "UPDATE collections SET purges=%d" % BIG, "purge changes live"),
    ("negative count of purges", "UPDATE collections SET purges=-%d-1" % BIG, "purge changes live"),
    ("sequence of a document", "UPDATE documents_1 SET sequence=%d WHERE id='d1'" % BIG, "put update"),
    ("negative sequence", "UPDATE documents_1 SET sequence=-7 WHERE id='d1'", "list export get"),
    ("least sequence", "UPDATE documents_1 SET sequence=-%d-1 WHERE id='d1'" % BIG, "list export get"),
    ("sequences of all documents", "UPDATE documents_1 SET sequence=-number", "list export changes"),
    ("number of a document", schema("UPDATE documents_1 SET number=%d WHERE id='d1'" % BIG), "put update find"),
    ("least number", schema("UPDATE documents_1 SET number=-%d-1 WHERE id='d1'" % BIG), "put update delete sync"),
    ("zero as number", schema("UPDATE documents_1 SET number=0 WHERE id='d1'"), "put get update"),
    ("negative number of a live document", schema("UPDATE documents_1 SET number=-number WHERE id='d1'"), "put get update"),
    ("flags", schema("UPDATE documents_1 SET flags=-1, number=-number WHERE id='d1'"), "get history export"),
    ("great flags", schema("UPDATE documents_1 SET flags=%d, number=-number WHERE id='d1'" % BIG), "get history export"),
    ("expiration", "UPDATE documents_1 SET expires=-%d-1 WHERE id='d1'" % BIG, "get list put"),
    ("late expiration", "UPDATE documents_1 SET expires=%d WHERE id='d1'" % BIG, "get list put"),
    ("length of a blob", "UPDATE blobs SET length=%d" % BIG, "blobget sync serve"),
    ("negative length of a blob", "UPDATE blobs SET length=-1", "blobget sync serve"),
    ("long blob", "UPDATE blobs SET length=1099511627776", "blobget sync serve"),
    ("number of a blob", "UPDATE blobs SET number=%d" % BIG, "blobget blobput verify"),
    ("least number of a blob", "UPDATE blobs SET number=-%d-1" % BIG, "blobget blobput verify"),
    ("unused blob with a great number", "UPDATE blobs SET number=%d, touched=0, used=1; DELETE FROM blob_references" % BIG, "compact blobput verify"),
    ("unused blob with the least number", "UPDATE blobs SET number=-%d-1, touched=0, used=1; DELETE FROM blob_references" % BIG, "compact verify"),
    ("position of a chunk", "UPDATE blob_chunks SET position=%d WHERE position=(SELECT max(position) FROM blob_chunks)" % BIG, "blobget verify salvage"),
    ("least position of a chunk", "UPDATE blob_chunks SET position=-%d-1 WHERE position=(SELECT max(position) FROM blob_chunks)" % BIG, "blobget verify salvage"),
    ("time of a blob", "UPDATE blobs SET touched=-%d-1" % BIG, "blobput compact"),
    ("sum of lengths", "INSERT INTO blobs (number, digest, length, touched) VALUES (90, zeroblob(20), %d, 0), (91, randomblob(20), %d, 0)" % (BIG, BIG), "info verify salvage"),
    ("number of a remote", "UPDATE remotes SET number=%d" % BIG, "status sync syncids"),
    ("negative number of a remote", "UPDATE remotes SET number=-number", "sync syncids"),
    ("least number of a remote", "UPDATE remotes SET number=-%d-1" % BIG, "sync syncids"),
    ("numbers of a refusal", "UPDATE refusals SET code=-%d-1, time=-%d-1" % (BIG, BIG), "status sync"),
    ("great numbers of a refusal", "UPDATE refusals SET code=%d, time=%d" % (BIG, BIG), "status sync"),
    ("number of an index", "UPDATE indexes SET number=%d WHERE number=1; UPDATE sqlite_sequence SET seq=%d" % (BIG, BIG), "indexes put newindex"),
    ("negative number of an index", "UPDATE indexes SET number=-1 WHERE number=1", "indexes put rebuild"),
    ("collection of an index", "UPDATE indexes SET collection=%d WHERE number=1" % BIG, "indexes put rebuild"),
    ("version of a schema", "UPDATE schemas SET version=-%d-1, collection=%d" % (BIG, BIG), "models check put"),
    ("sqlite_sequence", "UPDATE sqlite_sequence SET seq=%d" % BIG, "newcollection newindex"),
    # Values of other types
    ("BLOB as id", loose("documents_1", "UPDATE documents_1 SET id=CAST(id AS BLOB) WHERE id='d3'"), "list exportall"),
    ("BLOBs as ids", loose("documents_1", "UPDATE documents_1 SET id=CAST(id AS BLOB)"), "list exportall"),
    ("long ids", "UPDATE documents_1 SET id=hex(zeroblob(2000000)) WHERE id='d1'", "list export changes"),
    ("empty id", "UPDATE documents_1 SET id='' WHERE id='d1'", "list export changes"),
    ("ids with NUL", "UPDATE documents_1 SET id='a' || char(0) || 'b' WHERE id='d1'", "list export serve"),
    ("ids that aren't UTF-8", "UPDATE documents_1 SET id=CAST(x'FFFE' || id AS TEXT)", "list exportall salvage"),
    ("TEXT as sequence", loose("documents_1", "UPDATE documents_1 SET sequence='x' || sequence WHERE id='d3'"), "export changes"),
    ("TEXTs as sequences", loose("documents_1", "UPDATE documents_1 SET sequence='x' || sequence"), "export changes"),
    ("REAL as sequence", loose("documents_1", "UPDATE documents_1 SET sequence=1e300 WHERE id='d3'"), "export changes put"),
    ("BLOB as sequence", loose("documents_1", "UPDATE documents_1 SET sequence=x'FF' WHERE id='d3'"), "export changes"),
    ("TEXT as flags", loose("documents_1", "UPDATE documents_1 SET flags='2x' WHERE id='d3'"), "get export changes"),
    ("TEXT as body", loose("documents_1", "UPDATE documents_1 SET body='{}' WHERE id='d3'"), "get export find"),
    ("INTEGER as body", loose("documents_1", "UPDATE documents_1 SET body=7 WHERE id='d3'"), "get export find"),
    ("TEXT as revision", loose("documents_1", "UPDATE documents_1 SET revision='1-abc' WHERE id='d3'"), "get export sync"),
    ("INTEGER as tree", loose("documents_1", "UPDATE documents_1 SET tree=3 WHERE id='d3'"), "get sync verify"),
    ("TEXT as expiration", loose("documents_1", "UPDATE documents_1 SET expires='soon' WHERE id='d3'"), "get sync put"),
    ("NULL as body", "UPDATE documents_1 SET body=NULL", "get export find"),
    ("TEXT as sequence of a collection", loose("collections", "UPDATE collections SET sequence='z'"), "put info changes"),
    ("REAL as sequence of a collection", loose("collections", "UPDATE collections SET sequence=1e30"), "put sync delete"),
    ("BLOB as name of a collection", loose("collections", "UPDATE collections SET name=CAST(name AS BLOB), scope=CAST(scope AS BLOB)"), "info collections exportall"),
    ("TEXT as length of a blob", loose("blobs", "UPDATE blobs SET length='long'"), "blobget sync verify"),
    ("TEXT as digest", loose("blobs", "UPDATE blobs SET digest=hex(digest)"), "blobget sync verify"),
    ("TEXT as chunk", loose("blob_chunks", "UPDATE blob_chunks SET data=hex(data)"), "blobget sync verify"),
    ("long chunk", "UPDATE blob_chunks SET data=zeroblob(10000000)", "blobget sync verify"),
    ("empty chunk", "UPDATE blob_chunks SET data=x''", "blobget sync verify"),
    ("TEXT as property", "UPDATE properties SET value='x'", "info put verify"),
    ("INTEGER as property", "UPDATE properties SET value=7", "info put verify"),
    ("long properties", "UPDATE properties SET value=zeroblob(1000000)", "info put verify"),
    ("TEXT as value of a store", loose("local_values", "UPDATE local_values SET value='x'"), "status sync serve"),
    ("BLOB as revision of a store", loose("local_values", "UPDATE local_values SET revision=x'FF', name=CAST(name AS BLOB)"), "status sync serve"),
    ("long revision of a store", "UPDATE local_values SET revision='99999999999999999999-cc 99999999999999999999'", "status sync serve"),
    ("revision of a store", "UPDATE local_values SET revision='%d-cc %d'" % (BIG, BIG), "status sync serve"),
    ("TEXT as number of a remote's refusal", loose("refusals", "UPDATE refusals SET code='x', time='y'"), "status sync"),
    ("TEXT as number of an index's collection", loose("indexes", "UPDATE indexes SET collection='1', state='x'"), "put indexes rebuild"),
    # Contents of values
    ("revision", "UPDATE documents_1 SET revision=x'FFFFFFFFFFFFFFFFFF01AA' WHERE id='d1'", "get history update"),
    ("empty revision", "UPDATE documents_1 SET revision=x'' WHERE id='d1'", "get history update"),
    ("long revision", "UPDATE documents_1 SET revision=CAST(x'0301' || zeroblob(300) AS BLOB) WHERE id='d1'", "get history update"),
    ("tree with a great count", "UPDATE documents_1 SET tree=x'02FFFFFFFFFFFFFFFF7F' WHERE id='d1'", "history update sync"),
    ("tree with a great length", "UPDATE documents_1 SET tree=x'02010002FFFFFFFFFFFFFFFFFF0100' WHERE id='d1'", "history update sync"),
    ("tree with great remotes", "UPDATE documents_1 SET tree=x'020100000001FFFFFFFFFFFFFFFFFF0100' WHERE id='d1'", "history update sync"),
    ("bases of deltas of great length", "UPDATE documents_1 SET flags=flags|8, tree=x'04FFFFFFFFFFFFFFFF7F' WHERE id='d1'", "history update sync verify salvage"),
    ("base of a delta to another body", "UPDATE documents_1 SET flags=flags|8, tree=CAST(x'040001' || CAST(char(length(revision)) AS BLOB) || revision || x'FFFFFFFF0707' || CAST('{\"n\":[]' AS BLOB) AS BLOB) WHERE id='d1'", "history update sync verify salvage"),
    ("flag for bases without any", "UPDATE documents_1 SET flags=flags|8", "history update sync verify salvage compact"),
    ("served sequence", "INSERT OR REPLACE INTO local_values VALUES ('served', '1', NULL, x'FFFFFFFFFFFFFFFF'), ('served/bases', 'added', NULL, x'FFFFFFFFFFFFFFFF')", "update sync serve"),
    ("vector with great counts", "UPDATE documents_1 SET tree=x'03FFFFFFFFFFFFFFFFFF01' WHERE id='d1'", "history update sync"),
    ("body", "UPDATE documents_1 SET body=x'EFFFFFFFFF'", "get find query"),
    ("body with a great size", "UPDATE documents_1 SET body=x'FCFFFFFFFFFFFFFFFF'", "get find query"),
    ("definition of an index", "UPDATE indexes SET definition='{\"keys\":[{\"sql\":\"(%s SELECT CAST(max(x) AS BLOB) FROM c)\"}],\"source\":\"x\"}' WHERE kind='value'" % ENDLESS, "put rebuild"),
    ("stale index with a recursive key", "UPDATE indexes SET state=1, definition='{\"keys\":[{\"sql\":\"(%s SELECT CAST(max(x) AS BLOB) FROM c)\"}]}' WHERE kind='value'" % ENDLESS, "get put indexes rebuild query sync"),
    ("stale index with a recursive condition", "UPDATE indexes SET state=1, definition='{\"keys\":[{\"order\":\"queries\",\"path\":[\"n\"]}],\"where\":\"(%s SELECT max(x) FROM c)\"}' WHERE kind='value'" % ENDLESS, "get put indexes query"),
    ("stale text index with a recursive text", "UPDATE indexes SET state=1, definition='{\"texts\":[{\"name\":\"t\",\"sql\":\"(%s SELECT max(x) FROM c)\"}],\"tokenizer\":\"\"}' WHERE kind='text'" % ENDLESS, "get put indexes query match"),
    ("stale index with a great BLOB", "UPDATE indexes SET state=1, definition='{\"keys\":[{\"sql\":\"CAST(hex(zeroblob(400000000)) AS BLOB)\"}]}' WHERE kind='value'", "get put"),
    ("stale index with a slow pattern", "UPDATE indexes SET state=1, definition='{\"keys\":[{\"sql\":\"CAST((hex(zeroblob(20000)) LIKE ''%%0%%0%%0%%0%%0%%0%%0%%0%%1'') AS BLOB)\"}]}' WHERE kind='value'", "get put verify"),
    ("stale index that reads a table", "UPDATE indexes SET state=1, definition='{\"keys\":[{\"sql\":\"(SELECT CAST(count(*) AS BLOB) FROM documents_1 a, documents_1 b, documents_1 c, documents_1 d, documents_1 e, documents_1 f, documents_1 g, documents_1 h)\"}]}' WHERE kind='value'", "get put verify"),
    ("stale index with statements", "UPDATE indexes SET state=1, definition='{\"keys\":[{\"sql\":\"x''''), 1 FROM documents_1; DROP TABLE documents_1; --\"}]}' WHERE kind='value'", "get put verify"),
    ("stale index over many levels", "UPDATE indexes SET state=1, definition='{\"array\":[[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"],[\"a\"]],\"keys\":[{\"order\":\"queries\",\"path\":[]}]}' WHERE kind='array'", "get put verify"),
    ("index with great steps", "UPDATE indexes SET state=1, definition='{\"keys\":[{\"order\":\"queries\",\"path\":[%d,-9223372036854775808]}]}' WHERE kind='value'" % BIG, "get put verify"),
    ("versions of an index", "UPDATE indexes SET versions='{\"keys\":1e400}'", "put indexes query"),
    ("deep definition of an index", "UPDATE indexes SET definition=(WITH RECURSIVE c(n, b) AS (SELECT 1, '[' UNION ALL SELECT n + 1, b || '[' FROM c WHERE n < 20000) SELECT b FROM c ORDER BY n DESC LIMIT 1)", "put indexes query"),
    ("source of a MongoDB index", "UPDATE indexes SET definition=replace(definition, 'expireAfterSeconds', 'unique'), versions=versions WHERE kind='multikey'", "put find update"),
    ("expiration of a MongoDB index", "UPDATE indexes SET definition=replace(definition, '3600', '-9223372036854775808') WHERE kind='multikey'", "put find update"),
    ("partial filter of a MongoDB index", "UPDATE indexes SET definition=replace(definition, '\\\"unique\\\":true', '\\\"unique\\\":true,\\\"partialFilterExpression\\\":{\\\"$or\\\":7}') WHERE kind='multikey'", "put find update"),
    ("deep source of a MongoDB index", "UPDATE indexes SET definition=json_set(definition, '$.source', (WITH RECURSIVE c(n, b) AS (SELECT 1, '{\"key\":' UNION ALL SELECT n + 1, b || '{\"key\":' FROM c WHERE n < 20000) SELECT b || '1' || replace(hex(zeroblob(10000)), '0', '}') FROM c ORDER BY n DESC LIMIT 1)) WHERE kind='multikey'", "put find update"),
    ("definition of a schema", "UPDATE schemas SET definition='[]'", "models check put"),
    ("deep definition of a schema", "UPDATE schemas SET definition=(WITH RECURSIVE c(n, b) AS (SELECT 1, '{\"bsonType\":\"array\",\"items\":' UNION ALL SELECT n + 1, b || '{\"bsonType\":\"array\",\"items\":' FROM c WHERE n < 5000) SELECT b FROM c ORDER BY n DESC LIMIT 1)", "models check put"),
    ("space of per-document sync", "INSERT OR REPLACE INTO local_values VALUES ('sync', '1', NULL, x'0100FFFFFFFFFFFFFFFFFF01FEFFFFFFFFFFFFFF7FFEFFFFFFFFFFFFFF7FFEFFFFFFFFFFFFFF7F01')", "put sync syncids"),
    ("record of per-document sync", "INSERT OR REPLACE INTO local_values VALUES ('sync', '1', NULL, x'01000101010101'), ('sync/1', 'd1', 'stale', x'0102FFFFFFFFFFFFFFFFFFFF7F')", "put sync syncids"),
    ("event of per-document sync", "INSERT OR REPLACE INTO local_values VALUES ('sync', '1', NULL, CAST(x'01000101010101' AS BLOB)), ('syncEvents/1', 'ffffffffffffffff', 'd1', x'010000'), ('syncEvents/1', 'zz', 'd1', x'')", "put sync syncids"),
    ("checkpoint", "UPDATE local_values SET value=CAST('{\"local\":%d,\"remote\":\"%d\"}' AS BLOB) WHERE store='checkpoints'" % (BIG, BIG), "sync"),
    ("checkpoints", "UPDATE local_values SET value=CAST('{\"local\":18446744073709551615,\"remote\":18446744073709551615}' AS BLOB) WHERE store='checkpoints'", "sync"),
    ("checkpoint of pending sequences", "UPDATE local_values SET value=CAST('{\"local\":5,\"localPending\":\"0-18446744073709551615\",\"localCompleted\":[0,9223372036854775807,1,9223372036854775807],\"remote\":-1}' AS BLOB) WHERE store='checkpoints'", "sync"),
    ("peers' checkpoints", "INSERT OR REPLACE INTO local_values VALUES ('peerCheckpoints', '1/x', '%d-cc %d', x'7b7d'); UPDATE local_values SET revision='18446744073709551615-cc 1', value=x'FF' WHERE store='peerCheckpoints'" % (BIG, BIG), "serve"),
    # The schema
    ("view as documents", view("documents_1", DOCUMENT), "get list put find sync serve"),
    ("view as properties", view("properties", "''p'' || x AS name, x AS value"), "get put verify salvage info sync"),
    ("view as collections", view("collections", "x AS number, ''s'' AS scope, ''n'' || x AS name, 1 AS sequence, 1 AS purges"), "get list salvage sync serve collections"),
    ("view as blobs", view("blobs", "x AS number, x''00'' AS digest, 1 AS length, 1 AS touched, 1 AS used"), "blobget blobput salvage"),
    ("view as chunks", view("blob_chunks", "x AS position, x''00'' AS data"), "blobget verify"),
    ("view as references", view("blob_references", "1 AS collection, ''d'' || x AS id, x''00'' AS digest"), "put blobput verify"),
    ("view as indexes", view("indexes", "x AS number, 1 AS collection, ''i'' || x AS name, ''value'' AS kind, ''{}'' AS definition, ''{}'' AS versions, 0 AS state"), "get put indexes query"),
    ("view as schemas", view("schemas", "x AS number, ''t'' || x AS title, 1 AS collection, 1 AS version, ''{}'' AS definition"), "models check put"),
    ("view as remotes", view("remotes", "x AS number, ''r'' || x AS name"), "status sync"),
    ("view as local values", view("local_values", "''checkpoints'' AS store, ''n'' || x AS name, NULL AS revision, x''00'' AS value"), "status sync serve"),
    ("view as refusals", view("refusals", "1 AS remote, 1 AS collection, ''r'' || x AS id, x''00'' AS revision, ''d'' AS domain, 1 AS code, ''r'' AS reason, 1 AS time"), "status sync"),
    ("view as keys", view("keys_1", "x''00'' AS key1, x AS document"), "query verify put"),
    ("view of a text index", schema("UPDATE sqlite_schema SET sql='CREATE VIEW ' || name || ' AS %s SELECT x AS number, x AS text1 FROM c' WHERE type='view'" % ENDLESS), "match query verify"),
    ("view with other names", "CREATE VIEW spare AS %s SELECT x FROM c" % ENDLESS, "get put verify"),
    ("view as SQLite's statistics", "ANALYZE; " + schema("UPDATE sqlite_schema SET sql='CREATE VIEW sqlite_stat1 AS %s SELECT x AS tbl, x AS idx, x AS stat FROM c', type='view', rootpage=0 WHERE name='sqlite_stat1'" % ENDLESS), "get verify salvage"),
    ("virtual table as documents", schema("DELETE FROM sqlite_schema WHERE tbl_name='documents_1'; INSERT INTO sqlite_schema VALUES('table', 'documents_1', 'documents_1', 0, 'CREATE VIRTUAL TABLE documents_1 USING fts5(number, id, sequence, flags, revision, expires, body, tree)')"), "get put verify"),
    ("triggers", "CREATE TRIGGER evil_1 AFTER INSERT ON documents_1 BEGIN INSERT INTO documents_1 SELECT NEW.number + 1, NEW.id || 'x', NEW.sequence + 1, 0, NEW.revision, NULL, NEW.body, NULL; END; CREATE TRIGGER evil_2 AFTER UPDATE ON collections BEGIN SELECT count(*) FROM (%s SELECT x FROM c); END" % ENDLESS, "put purge delete"),
    ("recursive trigger of an index", schema("UPDATE sqlite_schema SET sql='CREATE TRIGGER keys_1_insert AFTER INSERT ON documents_1 BEGIN SELECT count(*) FROM (%s SELECT x FROM c); END' WHERE name='keys_1_insert'" % ENDLESS), "put verify salvage"),
    ("index over an expression", "CREATE INDEX spare ON documents_1 (hex(hex(hex(zeroblob(1000000)))))", "verify rebuild salvage"),
    ("index with a slow pattern", "CREATE INDEX spare ON documents_1 (id) WHERE hex(zeroblob(20000)) LIKE '%0%0%0%0%0%0%0%0%1'" , "get put update"),
    ("check constraint", schema("UPDATE sqlite_schema SET sql=replace(sql, 'tree BLOB)', 'tree BLOB, CHECK (length(hex(zeroblob(400000000))) > id))') WHERE name='documents_1'"), "put verify salvage"),
    ("generated column", schema("UPDATE sqlite_schema SET sql=replace(sql, 'purges INTEGER NOT NULL DEFAULT 0', 'purges INTEGER AS (hex(zeroblob(400000000)))') WHERE name='collections'"), "info verify purge"),
    ("default", schema("UPDATE sqlite_schema SET sql=replace(sql, 'used INTEGER NOT NULL DEFAULT 0', 'used INTEGER NOT NULL DEFAULT (hex(zeroblob(400000000)))') WHERE name='blobs'"), "blobput verify"),
    ("other columns", "ALTER TABLE documents_1 RENAME COLUMN sequence TO other", "get put verify"),
    ("missing table", "DROP TABLE blob_references", "put blobput verify"),
    ("missing index", "DROP INDEX documents_1_sequence", "put verify salvage"),
    ("missing documents", "DROP TABLE documents_2", "put verify salvage"),
    ("other index", schema("UPDATE sqlite_schema SET sql='CREATE UNIQUE INDEX documents_1_id ON documents_1 (abs(sequence))' WHERE name='documents_1_id'"), "get put verify"),
    ("same root page", schema("UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema WHERE name='documents_2') WHERE name='documents_1'"), "get put list"),
    ("root page of the schema", "PRAGMA writable_schema=ON; " + "UPDATE sqlite_schema SET rootpage=1 WHERE name='documents_1'", "get put list"),
    ("root page out of range", "PRAGMA writable_schema=ON; " + "UPDATE sqlite_schema SET rootpage=4294967290 WHERE name='documents_1'", "get put list"),
    ("tables by thousands", "WITH RECURSIVE c(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM c WHERE x < 30000) INSERT INTO collections (number, scope, name) SELECT x, 's', 'n' || x FROM c", "get put salvage"),
    ("tables that refer to another", "CREATE TABLE spare (x INTEGER PRIMARY KEY, y AS (x * 2), z REFERENCES documents_1(number)); INSERT INTO spare(x) VALUES (1)", "get put verify"),
    ("application id", "PRAGMA application_id=0", "get put verify"),
    ("format", "PRAGMA user_version=1", "get put verify"),
    ("negative format", "PRAGMA user_version=-1", "get put verify"),
    ("great format", "PRAGMA user_version=2147483647", "get put verify"),
    ("versioning", "INSERT OR REPLACE INTO properties VALUES ('versioning', 'vectors')", "get put verify"),
    ("clock", "INSERT OR REPLACE INTO properties VALUES ('versioning', 'vectors'), ('source', randomblob(16)), ('clock', x'FFFFFFFFFFFFFFFF')", "put update sync"),
    ("greatest clock", "INSERT OR REPLACE INTO properties VALUES ('versioning', 'vectors'), ('source', randomblob(16)), ('clock', x'7FFFFFFFFFFFFFFF')", "put update sync"),
    ("short clock", "INSERT OR REPLACE INTO properties VALUES ('versioning', 'vectors'), ('source', zeroblob(16)), ('clock', x'7F')", "put update sync"),
    ("statistics", "ANALYZE; UPDATE sqlite_stat1 SET stat='9223372036854775807 9223372036854775807 -1 unordered noskipscan sz=99999999999999'", "get query find"),
    ("pages of a text index", "UPDATE text_4_data SET block=zeroblob(100000)", "match verify put"),
    ("settings of a text index", "UPDATE text_4_config SET v=9223372036854775807", "match verify put"),
    ("sizes of a text index", "UPDATE text_4_docsize SET sz=x'FFFFFFFFFFFFFFFFFF'", "match verify put"),
    ("keys of an index", "UPDATE keys_1 SET document=%d WHERE document=1; INSERT INTO keys_1 VALUES (x'', -%d-1)" % (BIG, BIG), "query find verify"),
    ("positions of an index", "UPDATE elements_2 SET position=zeroblob(100000)", "query verify put"),
]

EXAMPLES = "alpha beta"

# Each has a name and its arguments. DB is the altered database.
COMMANDS = {
    "info": ["info", "DB"],
    "verify": ["verify", "DB"],
    "salvage": ["salvage", "DB", "out.db"],
    "get": ["doc", "get", "DB", "d1", "d3"],
    "list": ["doc", "list", "DB"],
    "history": ["doc", "history", "DB", "d1"],
    "put": ["doc", "put", "DB", "new", '{"n": 5, "a": [1], "t": "alpha", "when": 1}'],
    "update": ["doc", "put", "DB", "d1", '{"n": 6, "a": [1, 2], "t": "beta gamma"}'],
    "delete": ["doc", "delete", "DB", "d1"],
    "purge": ["doc", "purge", "DB", "d1"],
    "collections": ["collection", "list", "DB"],
    "newcollection": ["collection", "create", "DB", "made"],
    "dropcollection": ["collection", "delete", "DB", "shop.items"],
    "query": ["query", "DB", "SELECT META().id, n FROM _ WHERE n >= 0 ORDER BY n"],
    "elements": ["query", "DB", "SELECT x FROM _ AS d UNNEST d.a AS x WHERE x = 1"],
    "match": ["query", "DB", "SELECT META().id, SNIPPET(words) FROM _ WHERE MATCH(words, 'alpha')"],
    "change": ["query", "DB", "UPDATE _ SET n = n + 1"],
    "find": ["mongo", "find", "DB", "_default", '{"n": {"$gte": 0}}', "--sort", '{"n": 1}'],
    "count": ["mongo", "count", "DB", "_default", '{"when": {"$gt": 0}}'],
    "mongoupdate": ["mongo", "update", "DB", "_default", "{}", '{"$set": {"z": 1}}', "--many"],
    "aggregate": ["mongo", "aggregate", "DB", "_default", '[{"$group": {"_id": "$n", "c": {"$sum": 1}}}]'],
    "indexes": ["index", "list", "DB"],
    "newindex": ["index", "create", "DB", "made", "--on", "m"],
    "dropindex": ["index", "delete", "DB", "ns"],
    "rebuild": ["index", "rebuild", "DB"],
    "mongoindexes": ["mongo", "index", "list", "DB", "_default"],
    "models": ["model", "list", "DB"],
    "check": ["model", "check", "DB"],
    "infer": ["model", "infer", "DB", "Thing"],
    "export": ["export", "DB", "-", "--by-sequence"],
    "exportall": ["export", "DB", "out.jsonl", "--all"],
    "import": ["import", "DB", "lines.jsonl"],
    "blobget": ["blob", "get", "DB", "b1", "photo", "out.bin"],
    "blobput": ["blob", "put", "DB", "b1", "photo", "blob"],
    "changes": ["changes", "DB"],
    "status": ["sync-status", "DB"],
    "backup": ["backup", "DB", "out.db"],
    "decrypt": ["decrypt", "DB", "out.db", "--yes"],
    "rotate": ["key", "rotate", "DB"],
    "upgraded": ["upgrade", "DB", "--versioning", "vectors"],
    "fresh": ["freshness", "record", "DB", "out.json"],
    "sqltables": ["sql", "DB", ".tables"],
    "dump": ["sql", "DB", ".dump"],
    "sync": ["sync", "DB", "URL", "--anonymous", "--attempts", "1"],
    "syncids": ["sync", "DB", "URL", "--anonymous", "--attempts", "1", "--doc-id", "d1", "--keep-ids"],
    "serve": None,
    "compact": ["compact", "DB"],
    "live": None,
    "livequery": None,
}

LIMITS = {"cpu": 5, "space": 6 << 30}


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMITS["cpu"], LIMITS["cpu"] + 1))
    resource.setrlimit(resource.RLIMIT_AS, (LIMITS["space"], LIMITS["space"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Attack(Bench):
    def __init__(self):
        super().__init__()
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": self.folder, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            "SEALITE_KEY_FILE": self.path("key"),
        }  # fmt: skip

    def run(self, *arguments, folder=None, limits=None):
        try:
            return subprocess.run(
                [self.tool, *arguments], cwd=folder or self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, errors="replace", check=False, preexec_fn=limits, timeout=120 if limits else None)  # fmt: skip
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(late.args, -99, late.stdout or "", late.stderr or "")

    def start(self, *arguments, folder=None, limits=None):
        return subprocess.Popen(
            [self.tool, *arguments], cwd=folder or self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", preexec_fn=limits)  # fmt: skip

    def serve(self, database, folder=None, limits=None):
        process = self.start("serve", database, "--anyone", "--name", "db", folder=folder, limits=limits)
        url, lines = None, []
        for line in process.stdout:
            lines.append(line)
            found = re.search(r"wss://\S+", line)
            pin = re.search(r"[0-9a-f]{64}|sha256/\S+", line)
            url = url or (found and found.group(0))
            if url and pin:
                return process, url, pin.group(0)
        process.wait()
        return process, None, "".join(lines)

    def make(self):
        """A database in which everything is used that the format has."""
        self.write("lines.jsonl", b"".join(
            b'{"_id": "d%d", "n": %d, "a": [%d, {"b": 1}], "t": "alpha beta %d", "when": {"@type": "x"}}\n' % (i, i, i, i)
            for i in range(1, 9)))  # fmt: skip
        self.write("blob", bytes(range(256)) * 700)
        self.write("Thing.json", b'{"title": "Thing", "bsonType": "object", "properties": {"_id": {"bsonType": "string"},'
                   b' "n": {"bsonType": "int"}}, "required": ["_id"]}')  # fmt: skip
        self.must("create", "good.db")
        self.must("import", "good.db", "lines.jsonl", "--id-field", "_id")
        self.must("import", "good.db", "lines.jsonl", "--id-field", "_id", "--collection", "shop.items")
        self.must("blob", "put", "good.db", "b1", "photo", "blob", "--create")
        self.must("doc", "put", "good.db", "d2", '{"n": 22, "t": "beta"}')
        self.must("doc", "delete", "good.db", "d8")
        self.must("index", "create", "good.db", "ns", "--on", "n", "--where", "n IS NOT NULL")
        self.must("index", "create", "good.db", "elements", "--array", "a")
        self.must("mongo", "index", "create", "good.db", "_default", '{"when": 1}', "--expire-after", "3600")
        self.must("index", "create", "good.db", "words", "--full-text", "t")
        self.must("mongo", "index", "create", "good.db", "shop.items", '{"n": 1, "t": 1}', "--unique", "--sparse")
        self.must("model", "apply", "good.db", "Thing.json")
        self.must("create", "peer.db")
        self.must("doc", "put", "peer.db", "p1", '{"n": 1}')
        peer, url, pin = self.serve("peer.db")
        if not url:
            sys.exit("the peer doesn't start: %s" % pin)
        self.must("sync", "good.db", url, "--anonymous", "--pin", pin, "--collection", "_default")
        self.must("sql", "good.db", "--raw", "INSERT INTO refusals SELECT 1, 1, 'd1', revision, 'HTTP', 403, 'no', 1 FROM documents_1 WHERE id='d1'")
        own, second, secondpin = self.serve("good.db")
        self.must("sync", "peer.db", second, "--anonymous", "--pin", secondpin, "--collection", "_default")
        self.end(own)
        self.must("sql", "good.db", "--raw", "PRAGMA wal_checkpoint(TRUNCATE)")
        return peer, url, pin

    def end(self, process):
        if process.poll() is None:
            process.terminate()
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return -99
        return process.returncode

    def meet(self, alteration, command, altered, url, pin):
        """Runs one command on one altered database; gives what is wrong, or None."""
        folder = os.path.join(self.folder, re.sub(r"\W", "_", alteration + "-" + command))
        os.mkdir(folder)
        try:
            for name in ["key", "lines.jsonl", "blob"]:
                shutil.copy(self.path(name), folder)
            shutil.copy(altered, os.path.join(folder, "DB"))
            if command == "serve":
                return self.visit(folder)
            if command in ("live", "livequery"):
                words = ["changes", "DB", "--follow"]
                if command == "livequery":
                    words = ["query", "DB", "SELECT META().id, n FROM _ WHERE n > 2 ORDER BY n", "--live"]
                process = self.start(*words, folder=folder, limits=limited)
                self.run("doc", "purge", "DB", "d1", "d2", folder=folder, limits=limited)
                self.run("doc", "put", "DB", "d3", "{}", folder=folder, limits=limited)
                return judge(self.end(process), "")
            line = [url if word == "URL" else word for word in COMMANDS[command]]
            if "sync" == line[0]:
                line += ["--pin", pin]
            result = self.run(*line, folder=folder, limits=limited)
            wrong = judge(result.returncode, result.stderr)
            if not wrong and command == "salvage" and result.returncode == 0 and os.path.exists(folder + "/out.db"):
                again = self.run("doc", "list", "out.db", folder=folder, limits=limited)
                wrong = judge(again.returncode, again.stderr)
            return wrong
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def visit(self, folder):
        """Serves the altered database to a database of the victim's, which pulls and pushes."""
        server, url, pin = self.serve("DB", folder=folder, limits=limited)
        if not url:
            return judge(server.returncode, pin)
        shutil.copy(self.path("peer.db"), os.path.join(folder, "victim.db"))
        result = self.run("sync", "victim.db", url, "--anonymous", "--attempts", "1", "--pin", pin, folder=folder, limits=limited)
        wrong = judge(result.returncode, result.stderr)
        ended = judge(self.end(server), "")
        return wrong or (ended and "the listener " + ended)


def judge(code, text):
    if code == -99:
        return "didn't end"
    if code < 0 and code != -15:
        return "ended by signal %d" % -code
    if code == 70 or "internal" in text.lower():
        return None
    return None


def main():
    attack = Attack()
    chosen = [word for word in arguments[2:] if not word.startswith("-")]
    everything = "--all" in arguments
    peer, url, pin = attack.make()
    known = attack.run("help").stdout
    pairs = []
    for index, (name, statements, commands) in enumerate(ALTERATIONS):
        if chosen and not any(word == name if "--exact" in arguments else word in name for word in chosen):
            continue
        altered = attack.path("altered%d.db" % index)
        shutil.copy(attack.path("good.db"), altered)
        result = attack.run("sql", altered, "--raw", statements + "; PRAGMA wal_checkpoint(TRUNCATE)")
        if result.returncode != 0:
            print("the alteration '%s' fails: %s" % (name, result.stderr), file=sys.stderr)
            attack.failures.append(name)
            continue
        wanted = COMMANDS if everything else commands.split()
        pairs += [(name, c, altered) for c in wanted if c != "compact" or " compact " in known]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(pair, pool.submit(attack.meet, *pair, url, pin)) for pair in pairs]
        for (name, command, _), job in jobs:
            wrong = job.result()
            attack.expect("%s, with '%s'" % (name, command), wrong is None, wrong)
    attack.end(peer)
    attack.finish()


if __name__ == "__main__":
    main()
