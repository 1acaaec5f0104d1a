-- Version 4 of the schema: erasure.

-- A row for each erasure whose text may still be in free pages of the file, or
-- in the log beside it.
CREATE TABLE unclean (
  no       INTEGER PRIMARY KEY,
  since_ns INTEGER NOT NULL
) STRICT;

ALTER TABLE context ADD COLUMN erasures INTEGER NOT NULL DEFAULT 0;  -- how many there were that changed snapshots or log
