-- One row on page 5, which only marks write: a random id for the present mark and that of the mark before it.
CREATE TABLE mark (
  id     INTEGER PRIMARY KEY,
  this   BLOB NOT NULL,
  before BLOB NOT NULL
) STRICT;
INSERT INTO mark VALUES (1, randomblob(16), zeroblob(16));
