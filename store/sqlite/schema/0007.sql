-- Version 7 of the schema: pages.
--
-- Rows of node_version that no longer change are packed: taken out, with their
-- contents, and put into a page. A branch is its pages, in the order of their
-- numbers, and then its rows: each page holds the rows that follow those of the
-- page before, in the order of (birth, nid), and no row that is left comes before
-- a page. Drafts, and the last few dozens of cycles, stay rows for a while.
--
-- How bytes become rows is said in store/internal/page; "pact export" prints them.

CREATE TABLE page (
  branch     INTEGER NOT NULL,  -- context.key
  last_birth INTEGER NOT NULL,  -- birth and nid of the last row in the page
  last_nid   INTEGER NOT NULL,
  number     INTEGER NOT NULL,  -- within the branch, from 1 without a gap
  digest     BLOB    NOT NULL,  -- SHA-256 of all other columns; the head has that of each block
  head       BLOB    NOT NULL,  -- the rows without their contents, in columns
  PRIMARY KEY (branch, last_birth, last_nid)
) STRICT, WITHOUT ROWID;

-- The contents of the rows in a page, in blocks that can be read alone.
CREATE TABLE page_block (
  branch     INTEGER NOT NULL,  -- with the next two, the page
  last_birth INTEGER NOT NULL,
  last_nid   INTEGER NOT NULL,
  no         INTEGER NOT NULL,  -- within the page, from 0
  body       BLOB    NOT NULL,  -- contents one after the other, compressed
  PRIMARY KEY (branch, last_birth, last_nid, no)
) STRICT, WITHOUT ROWID;

-- What the index node_named is for the rows that are left: where versions in pages
-- are whose id does not tell their birth.
CREATE TABLE page_name (
  branch INTEGER NOT NULL,  -- context.key
  id     TEXT    NOT NULL,
  birth  INTEGER NOT NULL,
  nid    INTEGER NOT NULL,
  PRIMARY KEY (branch, id, birth, nid)
) STRICT, WITHOUT ROWID;
