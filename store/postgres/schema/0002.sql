-- Version 2 of the schema: pages, as in version 7 of the schema for SQLite, where
-- every column is explained.

CREATE TABLE page (
  branch     BIGINT NOT NULL,
  last_birth BIGINT NOT NULL,
  last_nid   BIGINT NOT NULL,
  number     BIGINT NOT NULL,
  digest     BYTEA NOT NULL,
  head       BYTEA NOT NULL,
  PRIMARY KEY (branch, last_birth, last_nid)
);

CREATE TABLE page_block (
  branch     BIGINT NOT NULL,
  last_birth BIGINT NOT NULL,
  last_nid   BIGINT NOT NULL,
  no         BIGINT NOT NULL,
  body       BYTEA NOT NULL,
  PRIMARY KEY (branch, last_birth, last_nid, no)
);

CREATE TABLE page_name (
  branch BIGINT NOT NULL,
  id     TEXT COLLATE "C" NOT NULL,
  birth  BIGINT NOT NULL,
  nid    BIGINT NOT NULL,
  PRIMARY KEY (branch, id, birth, nid)
);
