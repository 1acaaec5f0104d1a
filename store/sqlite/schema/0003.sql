-- Version 3 of the schema: attempts (03 §6), beside the history.
--
-- A fork shares the attempts of the cycles that it shares: a row counts where
-- its cycle is at most that of its part.

-- One row a call of a provider. It is written when the call starts and once
-- more when it ends.
CREATE TABLE attempt (
  branch     INTEGER NOT NULL,  -- context.key
  cycle      INTEGER NOT NULL,  -- that was under way
  number     INTEGER NOT NULL,  -- within the cycle, from 1; the id is attempt:<cycle>-<number>, in a fork with -f and its number
  status     TEXT    NOT NULL,  -- running, completed, canceled or error
  started_ns INTEGER NOT NULL,
  ended_ns   INTEGER,           -- NULL while it is running
  provider   TEXT    NOT NULL,
  model      TEXT    NOT NULL,
  params     BLOB    NOT NULL,  -- SHA-256 of the parameters as canonical JSON
  token_in   INTEGER,
  token_out  INTEGER,
  error      TEXT,
  thread     BLOB    NOT NULL,  -- SHA-256 of the canonical thread that was sent
  proof      INTEGER NOT NULL,  -- the first 8 bytes of SHA-256 over all other columns of the row
  PRIMARY KEY (branch, cycle, number)
) STRICT, WITHOUT ROWID;

ALTER TABLE context ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;  -- how many rows of attempts the branch has
