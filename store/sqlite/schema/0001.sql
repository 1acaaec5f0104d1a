-- Version 1 of the schema.
--
-- A context is its versions of nodes. A version is in the snapshots from the
-- cycle of its birth up to, not including, that of the next row of the same
-- node: another version, or the note of its death. What is born in the cycle
-- after the latest is a draft. Snapshot 12 of context 1:
--
--   SELECT * FROM (
--     SELECT *, row_number() OVER (PARTITION BY nid ORDER BY birth DESC) AS age
--     FROM node_version WHERE branch = 1 AND birth <= 12)
--   WHERE age = 1 AND death IS NULL;

CREATE TABLE context (
  key     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again for another context
  name    TEXT    NOT NULL UNIQUE,
  edition TEXT    NOT NULL,                   -- of the selector language
  first   INTEGER NOT NULL                    -- cycle of the oldest snapshot
) STRICT;

-- One row a revision: who did what, and where the counters stood afterwards.
-- The row of the highest revision is the present state of the context, and its
-- primary key the guard against a second writer.
CREATE TABLE log (
  branch     INTEGER NOT NULL,  -- context.key
  revision   INTEGER NOT NULL,
  kind       TEXT    NOT NULL,  -- create, edit or commit
  cycle      INTEGER NOT NULL,  -- that was published or worked on
  time_ns    INTEGER NOT NULL,
  actor      TEXT,
  message    TEXT,
  request    TEXT,              -- token by which a retry is recognised
  report     TEXT,              -- JSON: what a commit removed, held back, and why
  latest     INTEGER NOT NULL,  -- cycle of the latest snapshot
  work_cycle INTEGER NOT NULL,  -- cycle of the commit to come
  last_ns    INTEGER NOT NULL,  -- the last created_ns given
  next_index INTEGER NOT NULL,  -- the next creation_index
  given      INTEGER NOT NULL,  -- the highest cycle in a given id that looks generated
  next_nid   INTEGER NOT NULL,
  PRIMARY KEY (branch, revision)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX log_request ON log (branch, request) WHERE request IS NOT NULL;

-- One row a version of a node, and one for its death, never changed once
-- published.
--
-- nid is the identity of a node within its context. The active head with nid A
-- will be sealed into a turn with nid A+1, whose core, where the head has none
-- of its own, gets A+2; children of the head are stored as children of those
-- already, so that sealing rewrites none of them. As long as A+1 and A+2 are
-- not there, they hang under A.
CREATE TABLE node_version (
  branch         INTEGER NOT NULL,  -- context.key
  birth          INTEGER NOT NULL,  -- cycle of the first snapshot with this version, or without the node
  nid            INTEGER NOT NULL,
  death          TEXT,              -- why the node is gone: edit, seal, expired, cascade or pruned; what follows is NULL then
  parent         INTEGER,           -- nid; NULL for the root
  id             TEXT,
  type           TEXT,
  "offset"       INTEGER,
  priority       INTEGER,
  cycle          INTEGER,           -- that introduced the node
  created_ns     INTEGER,
  created_iso    TEXT,              -- where it is not created_ns in the usual form
  creation_index INTEGER,
  expiry         INTEGER,           -- the first cycle that commits without the node
  headers        TEXT,              -- JSON object of optional and custom headers
  content_no     INTEGER,           -- content.no; NULL where there is no content
  content_size   INTEGER,           -- bytes; NULL where there is no content
  content_hash   BLOB,              -- SHA-256; NULL without content or where JSON cannot express it
  named          INTEGER,           -- 1 where the id does not tell the birth: see node_named
  PRIMARY KEY (branch, birth, nid)
) STRICT, WITHOUT ROWID;

-- A generated id holds the cycle of its birth and is found through the primary
-- key; the other ids are here.
CREATE INDEX node_named ON node_version (branch, id) WHERE named = 1;

-- Content apart from headers, so that headers pack densely.
CREATE TABLE content (
  no   INTEGER PRIMARY KEY,
  body BLOB NOT NULL  -- canonical JSON
) STRICT;
