extension CorpusSchema {
    /// In the manner of the files of some programs, with the constructs that are theirs.
    static let programs: [CorpusSchema] =
        [
            (
                "a GeoPackage",
                """
                PRAGMA application_id = 1196444487; PRAGMA user_version = 10300;
                CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
                    organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
                INSERT INTO gpkg_spatial_ref_sys VALUES ('WGS 84', 4326, 'EPSG', 4326, 'GEOGCS[]', NULL);
                CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
                    last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), srs_id INTEGER,
                    CONSTRAINT fk_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
                INSERT INTO gpkg_contents VALUES ('places', 'features', 'places', '2026-01-01T00:00:00.000Z', 4326);
                CREATE TABLE places (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom POINT, name TEXT(40));
                INSERT INTO places VALUES (1, x'47500001e6100000', 'Basel');
                CREATE VIRTUAL TABLE rtree_places_geom USING rtree(id, minx, maxx, miny, maxy);
                INSERT INTO rtree_places_geom VALUES (1, 7.5, 7.6, 47.5, 47.6);
                CREATE TRIGGER rtree_places_geom_insert AFTER INSERT ON places WHEN (NEW.geom NOTNULL AND NOT ST_IsEmpty(NEW.geom))
                    BEGIN INSERT OR REPLACE INTO rtree_places_geom VALUES (NEW.fid, ST_MinX(NEW.geom), 1, 2, 3); END
                """
            ),
            (
                "a store of Core Data",
                """
                CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCREATED TIMESTAMP, ZTITLE VARCHAR, ZDATA BLOB);
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                CREATE INDEX ZNOTE_byTitle ON ZNOTE (ZTITLE COLLATE BINARY ASC);
                INSERT INTO ZNOTE VALUES (1, 1, 2, 700000000.5, 'first', zeroblob(5000))
                """
            ),
            (
                "a profile of a browser",
                """
                PRAGMA auto_vacuum = 2; PRAGMA page_size = 32768; VACUUM;
                CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, rev_host LONGVARCHAR, url_hash INTEGER DEFAULT 0 NOT NULL,
                    site_name TEXT, recalc INTEGER NOT NULL DEFAULT 0);
                CREATE UNIQUE INDEX moz_places_guid ON moz_places (url_hash, id);
                CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR) WITHOUT ROWID;
                INSERT INTO meta VALUES ('sync/lastSync', '0'); INSERT INTO moz_places(url) VALUES ('https://example.com/')
                """
            ),
            (
                "messages with search",
                """
                CREATE TABLE message (_id INTEGER PRIMARY KEY AUTOINCREMENT, chat INTEGER NOT NULL, text TEXT, sent INTEGER, ref INTEGER DEFAULT 0);
                CREATE INDEX by_chat ON message (chat, sent DESC) WHERE ref = 0;
                CREATE VIRTUAL TABLE message_fts USING FTS4(content, docid_chat, notindexed=docid_chat);
                CREATE TRIGGER drop_words BEFORE DELETE ON message BEGIN DELETE FROM message_fts WHERE docid = OLD._id; END;
                INSERT INTO message(chat, text) VALUES (1, 'hello'), (1, NULL); INSERT INTO message_fts(docid, content) VALUES (1, 'hello')
                """
            ),
            (
                "typed JSON of a web service",
                """
                CREATE TABLE event(id TEXT PRIMARY KEY CHECK (length(id) = 4), body TEXT NOT NULL CHECK (json_valid(body)),
                    kind TEXT GENERATED ALWAYS AS (body ->> '$.kind') STORED NOT NULL, at INTEGER AS (unixepoch(body ->> '$.at')) VIRTUAL,
                    CHECK (kind IN ('open', 'close'))) STRICT, WITHOUT ROWID;
                CREATE INDEX by_kind ON event(kind, id) WHERE kind <> 'close';
                INSERT INTO event(id, body) VALUES ('ab12', '{"kind": "open", "at": "2026-11-30T10:00:00Z"}')
                """
            ),
        ].map { CorpusSchema(name: $0.0, sql: $0.1) } + furtherPrograms

    private static let furtherPrograms: [CorpusSchema] = [
        CorpusSchema(
            name: "a collection of Anki",
            sql: """
                CREATE TABLE col (id integer primary key, crt integer not null, conf text not null, decks text not null);
                INSERT INTO col VALUES (1, 1700000000, '{"nextPos": 1}', '{}');
                CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null, usn integer not null, flds text not null,
                    sfld integer not null, csum integer not null, flags integer not null, data text not null);
                CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null, due integer not null, queue integer not null, odue integer not null, odid integer not null);
                CREATE TABLE graves (oid integer NOT NULL, type integer NOT NULL, usn integer NOT NULL, PRIMARY KEY (oid, type)) WITHOUT ROWID;
                CREATE TABLE config (KEY text NOT NULL PRIMARY KEY, usn integer NOT NULL, mtime_secs integer NOT NULL, val blob NOT NULL) WITHOUT ROWID;
                CREATE INDEX ix_notes_usn ON notes (usn); CREATE INDEX ix_notes_csum ON notes (csum); CREATE INDEX idx_cards_odid ON cards (odid) WHERE odid != 0;
                INSERT INTO notes VALUES (1700000000123, 'gU#1', 1, -1, 'front' || char(31) || 'back', 'front', 123, 0, '');
                INSERT INTO cards VALUES (1700000000124, 1700000000123, 1, 0, 0, 0, 7); INSERT INTO config VALUES ('sched', 0, 0, x'7b7d');
                PRAGMA user_version = 11
                """),
        CorpusSchema(
            name: "a history of Chromium",
            sql: """
                CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR); INSERT INTO meta VALUES ('version', '70'), ('mmap_status', '-1');
                CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER DEFAULT 0 NOT NULL, hidden INTEGER DEFAULT 0 NOT NULL);
                CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL, from_visit INTEGER, is_known_to_sync BOOLEAN DEFAULT FALSE NOT NULL, app_id TEXT);
                CREATE TABLE keyword_search_terms (keyword_id INTEGER NOT NULL, url_id INTEGER NOT NULL, term LONGVARCHAR NOT NULL, normalized_term LONGVARCHAR NOT NULL);
                CREATE TABLE downloads (id INTEGER PRIMARY KEY, guid VARCHAR NOT NULL, hash BLOB NOT NULL, by_web_app_id VARCHAR NOT NULL DEFAULT '');
                CREATE INDEX visits_url_index ON visits (url); CREATE INDEX visits_time_index ON visits (visit_time); CREATE INDEX urls_url_index ON urls (url);
                CREATE INDEX keyword_search_terms_index1 ON keyword_search_terms (keyword_id, normalized_term);
                INSERT INTO urls(url, title) VALUES ('https://example.com/', 'Example'), ('https://example.org/', ''); INSERT INTO visits(url, visit_time) VALUES (1, 13300000000000000);
                INSERT INTO downloads VALUES (1, 'g', x'', ''); DELETE FROM urls WHERE id = 2
                """),
        CorpusSchema(
            name: "a photo library of Core Data",
            sql: """
                CREATE TABLE ZASSET (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLATITUDE FLOAT, ZLONGITUDE FLOAT, ZDATECREATED TIMESTAMP, ZUUID VARCHAR, ZBOUNDED BLOB);
                CREATE INDEX Z_Asset_byFavorite ON ZASSET (ZDATECREATED COLLATE BINARY ASC, ZUUID COLLATE BINARY ASC) WHERE ZUUID IS NOT NULL;
                CREATE VIRTUAL TABLE Z_RT_Asset_boundedByRect USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDEMIN_FLOAT FLOAT, ZLATITUDEMAX_FLOAT FLOAT, ZLONGITUDEMIN_FLOAT FLOAT, ZLONGITUDEMAX_FLOAT FLOAT);
                INSERT INTO ZASSET VALUES (1, 3, 1, 47.5, 7.6, 700000000.25, 'u', x'00'); INSERT INTO Z_RT_Asset_boundedByRect VALUES (1, 47.5, 47.5, 7.6, 7.6);
                CREATE TRIGGER Z_RT_Asset_boundedByRect_INSERT AFTER INSERT ON ZASSET FOR EACH ROW WHEN (NEW.ZBOUNDED IS NOT NULL)
                    BEGIN INSERT OR REPLACE INTO Z_RT_Asset_boundedByRect VALUES (NEW.Z_PK, NSCoreDataLatitude(NEW.ZBOUNDED), 1, 2, 3); END;
                CREATE TRIGGER ZQ_ZASSET_TRIGGER AFTER UPDATE OF ZUUID ON ZASSET FOR EACH ROW BEGIN SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('Asset', 3, NEW.Z_PK); END
                """),
        CorpusSchema(
            name: "a library of Calibre",
            sql: """
                CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE, sort TEXT COLLATE NOCASE,
                    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, series_index REAL NOT NULL DEFAULT 1.0, uuid TEXT, has_cover BOOL DEFAULT 0);
                CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE, UNIQUE(name));
                CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL, UNIQUE(book, author));
                CREATE INDEX books_idx ON books (sort COLLATE NOCASE); INSERT INTO books(title, sort, timestamp) VALUES ('The Book', 'Book, The', '2026-01-01');
                INSERT INTO authors VALUES (1, 'Ana', 'ana'); INSERT INTO books_authors_link(book, author) VALUES (1, 1);
                CREATE VIEW meta AS SELECT id, title, (SELECT sortconcat(bal.id, name) FROM books_authors_link AS bal JOIN authors ON (author = authors.id) WHERE book = books.id) authors FROM books;
                CREATE VIEW tag_browser_filtered_authors AS SELECT id, (SELECT COUNT(bal.id) FROM books_authors_link AS bal WHERE author = authors.id AND books_list_filter(book)) count FROM authors;
                CREATE TRIGGER books_insert_trg AFTER INSERT ON books BEGIN UPDATE books SET sort = title_sort(NEW.title), uuid = uuid4() WHERE id = NEW.id; END;
                CREATE TRIGGER fkc_insert BEFORE INSERT ON books_authors_link BEGIN
                    SELECT CASE WHEN (SELECT id FROM books WHERE id = NEW.book) IS NULL THEN RAISE(ABORT, 'Foreign key violation: book not in books') END; END
                """),
        CorpusSchema(
            name: "a database of Room on Android",
            sql: """
                CREATE TABLE android_metadata (locale TEXT); INSERT INTO android_metadata VALUES ('de_CH');
                CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT); INSERT OR REPLACE INTO room_master_table (id, identity_hash) VALUES (42, 'c5f0');
                CREATE TABLE `Recipe` (`uid` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `title` TEXT NOT NULL, `parent` INTEGER,
                    FOREIGN KEY(`parent`) REFERENCES `Recipe`(`uid`) ON UPDATE NO ACTION ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
                CREATE UNIQUE INDEX `index_Recipe_title_parent` ON `Recipe` (`title` ASC, `parent` DESC);
                CREATE VIRTUAL TABLE `RecipeFts` USING FTS4(`title` TEXT NOT NULL, tokenize=unicode61 `tokenchars=_`, content=`Recipe`);
                CREATE TRIGGER room_fts_content_sync_RecipeFts_BEFORE_UPDATE BEFORE UPDATE ON `Recipe` BEGIN DELETE FROM `RecipeFts` WHERE `docid`=OLD.`rowid`; END;
                CREATE TRIGGER room_fts_content_sync_RecipeFts_AFTER_INSERT AFTER INSERT ON `Recipe` BEGIN INSERT INTO `RecipeFts`(`docid`, `title`) VALUES (NEW.`rowid`, NEW.`title`); END;
                CREATE VIEW `Titles` AS SELECT title FROM Recipe; INSERT INTO Recipe(title) VALUES ('Rösti_1'), ('soup'); PRAGMA user_version = 3
                """),
    ]
}
