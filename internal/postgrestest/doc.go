// Package postgrestest gives tests a PostgreSQL server: a real one, started from the
// installed binaries in a directory of its own, which no other machine can reach;
// or the one that PACT_TEST_POSTGRES names.
package postgrestest
