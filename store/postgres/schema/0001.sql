-- The values of all contexts. A name orders as its bytes do. Every key leads with its space: 0 is
-- the store's own, any other belongs to one context.
CREATE TABLE pair (
  space BIGINT NOT NULL,
  name BYTEA NOT NULL,
  value BYTEA NOT NULL,
  PRIMARY KEY (space, name)
);

-- The revisions of all contexts that are not joined yet. The number of a row is that of its space
-- times 2 to the power of 36, and the number of the record in the space.
CREATE TABLE log (
  id BIGINT PRIMARY KEY,
  value BYTEA NOT NULL,
  rest BYTEA NOT NULL
);

-- Afterwards the store tells the server to keep no samples of names and values for its planner.
