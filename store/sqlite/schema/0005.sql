-- Version 5 of the schema: the row of a context proves itself.
--
-- The proofs of rows that are there are computed with the migration, so that
-- none is NULL afterwards.
ALTER TABLE context ADD COLUMN proof INTEGER;  -- the first 8 bytes of SHA-256 over all other columns of the row
