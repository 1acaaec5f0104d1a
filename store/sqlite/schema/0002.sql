-- Version 2 of the schema: forks, and proof.
--
-- A fork is a context of its own that shares rows with its origin: those born
-- up to the cycle that it began at, and the log up to the revision that
-- published that cycle. What comes after is in its own branch. The origin of a
-- fork is the branch that holds the cycle, so a context is a chain of parts:
--
--   WITH RECURSIVE part (branch, cycle, revision) AS (
--     SELECT 7, 9223372036854775807, 9223372036854775807
--     UNION ALL
--     SELECT c.origin, c.origin_cycle, c.origin_revision
--     FROM part p JOIN context c ON c.key = p.branch WHERE c.origin IS NOT NULL)
--   SELECT * FROM part;
--
-- A row of node_version counts where its birth is at most the cycle of its
-- part, a row of log where its revision is at most that of its part.

ALTER TABLE context ADD COLUMN origin          INTEGER;  -- context.key; NULL for a context that is no fork
ALTER TABLE context ADD COLUMN origin_cycle    INTEGER;  -- the snapshot that it began at
ALTER TABLE context ADD COLUMN origin_revision INTEGER;  -- that published it
ALTER TABLE context ADD COLUMN fork            INTEGER NOT NULL DEFAULT 0;  -- its number among all that share history
ALTER TABLE context ADD COLUMN forks           INTEGER NOT NULL DEFAULT 0;  -- the highest number given, where it is the first of all
ALTER TABLE context ADD COLUMN deleted         INTEGER NOT NULL DEFAULT 0;  -- 1 where only what forks share is left; the name is @key then

CREATE INDEX context_origin ON context (origin) WHERE origin IS NOT NULL;

-- What proves that nothing was changed afterwards. All of it is NULL in rows of
-- version 1.
ALTER TABLE log ADD COLUMN digest BLOB;  -- SHA-256 over headers and contents of the snapshot or, after an edit, of the working state
ALTER TABLE log ADD COLUMN thread BLOB;  -- SHA-256 made of the blocks of the snapshot's thread
ALTER TABLE log ADD COLUMN sent   BLOB;  -- SHA-256 of the bytes that were sent for this cycle, where they were
ALTER TABLE log ADD COLUMN chain  BLOB;  -- SHA-256 over that of the row before and all of this row

ALTER TABLE node_version ADD COLUMN proof INTEGER;  -- the first 8 bytes of SHA-256 over all other columns of the row
