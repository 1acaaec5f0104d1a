-- Version 3 of the schema: what was sent of a request besides the thread, as in
-- version 8 of the schema for SQLite.
ALTER TABLE attempt ADD COLUMN request BYTEA;
