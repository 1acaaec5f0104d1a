-- Version 9 of the schema: directories.
--
-- A directory says where the turns of one snapshot are, so that it can be opened
-- without reading them. It is made of the rows and of nothing else: without one, what
-- it would save is read. How bytes become pages is said in store/internal/directory.

CREATE TABLE directory (
  branch INTEGER NOT NULL,  -- context.key
  cycle  INTEGER NOT NULL,  -- of the snapshot
  digest BLOB    NOT NULL,  -- SHA-256 of branch, cycle and body
  body   BLOB    NOT NULL,  -- its first page
  PRIMARY KEY (branch, cycle)
) STRICT, WITHOUT ROWID;

-- The pages that the first one leads to, each a run of turns. The page above a page
-- has its digest. Directories that follow one another have pages in common.
CREATE TABLE directory_run (
  branch   INTEGER NOT NULL,  -- context.key
  no       INTEGER NOT NULL,
  born     INTEGER NOT NULL,  -- cycle of the first directory that has it
  replaced INTEGER,           -- cycle of the first one after that which has not
  body     BLOB    NOT NULL,
  PRIMARY KEY (branch, no)
) STRICT, WITHOUT ROWID;
