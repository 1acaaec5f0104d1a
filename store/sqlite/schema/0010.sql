-- Version 10 of the schema: tokens that open a server.

CREATE TABLE access_token (
  name       TEXT    PRIMARY KEY,
  hash       BLOB    NOT NULL,  -- SHA-256 of what the secret opens, never the secret
  write      INTEGER NOT NULL,  -- 1 if it may change contexts, 0 if it may only read them
  pattern    TEXT    NOT NULL,  -- of the names of the contexts that it opens, '' for all
  created_ns INTEGER NOT NULL,
  proof      INTEGER NOT NULL   -- the first 8 bytes of SHA-256 over all other columns of the row
) STRICT, WITHOUT ROWID;
