-- A value is in no key: SQLite reads whole values while it compares the keys of a table WITHOUT ROWID.
CREATE TABLE pair (
  space INTEGER NOT NULL,  -- 0 for what belongs to no single context, else the key of a context
  name  BLOB    NOT NULL,
  value BLOB    NOT NULL,
  PRIMARY KEY (space, name)
) STRICT;

CREATE TABLE log (
  id    INTEGER PRIMARY KEY,  -- the key of a context, then 36 bits with the number of the record
  value BLOB    NOT NULL,
  rest  BLOB    NOT NULL      -- of the value, for those who read all of it
) STRICT;
