-- Version 5 of the schema for PostgreSQL: tokens that open a server, as in version 10 of
-- the schema for SQLite, where every column is explained.

CREATE TABLE access_token (
  name       TEXT COLLATE "C" PRIMARY KEY,
  hash       BYTEA NOT NULL,
  write      BIGINT NOT NULL,
  pattern    TEXT COLLATE "C" NOT NULL,
  created_ns BIGINT NOT NULL,
  proof      BIGINT NOT NULL
);
