-- Version 8 of the schema: what was sent of a request besides the thread.
--
-- The proof of a row without it is what it was before.
ALTER TABLE attempt ADD COLUMN request BLOB;  -- JSON, compressed (RFC 1951); NULL for nothing
