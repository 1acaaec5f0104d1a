-- Version 6 of the schema: what a commit leaves to the next one.
--
-- Of rows that are there it is read out of the report, once, with the migration.
-- Their link does not cover it; the report, which the link covers, tells it.
ALTER TABLE log ADD COLUMN idle TEXT;  -- of a commit, JSON array of ids: the removable groups that it left empty and kept
