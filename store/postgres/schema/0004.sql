-- Version 4 of the schema for PostgreSQL: directories, as in version 9 of the schema
-- for SQLite, where every column is explained.

CREATE TABLE directory (
  branch BIGINT NOT NULL,
  cycle  BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  body   BYTEA NOT NULL,
  PRIMARY KEY (branch, cycle)
);

CREATE TABLE directory_run (
  branch   BIGINT NOT NULL,
  no       BIGINT NOT NULL,
  born     BIGINT NOT NULL,
  replaced BIGINT,
  body     BYTEA NOT NULL,
  PRIMARY KEY (branch, no)
);
