package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	patience = 5 * time.Second        // how long to wait for a server that is restarting
	ofEach   = 2 * time.Second        // how long to wait for each of several servers
	pause    = 50 * time.Millisecond  // between two tries to reach it
	longest  = 200 * time.Millisecond // pause before a transaction is repeated
	tries    = 64                     // how often one transaction runs
	losses   = 8                      // how often one transaction may lose its connection
)

// errDoubt marks an error that leaves open whether it came before or after the server
// carried out the transaction.
var errDoubt = errors.New("the connection was lost before the answer came")

// codeOf returns the SQLSTATE of an error, "" if the server sent none.
func codeOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// The SQLSTATE codes that need an answer. PgBouncer answers class 08 when it lost the server.
const (
	classConnection   = "08"
	serialization     = "40001"
	unknownCompletion = "40003"
	deadlock          = "40P01"
	adminShutdown     = "57P01"
	crashShutdown     = "57P02"
	notYet            = "57P03"
	tooMany           = "53300"
	diskFull          = "53100"
	noTable           = "42P01"
	noColumn          = "42703"
	tableTaken        = "42P07"
	noDatabase        = "3D000"
	divisionByZero    = "22012"
	uniqueViolation   = "23505"
	lockTimeout       = "55P03"
	noPermission      = "42501"
	takesNoChanges    = "25006"
	notSupported      = "0A000"
)

// connectionLost reports whether an error means that the connection is gone.
func connectionLost(err error) bool {
	switch code := codeOf(err); {
	case code == adminShutdown, code == crashShutdown, code == notYet, code == unknownCompletion, code == takesNoChanges,
		strings.HasPrefix(code, classConnection):
		return true
	case code != "":
		return false
	}
	var op net.Error
	var syntax *pgconn.ParseConfigError
	return !errors.As(err, &syntax) && (errors.As(err, &op) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err))
}

// unavailable reports whether a connection failed because the server is restarting or has no
// room at the moment.
func unavailable(err error) bool { return codeOf(err) == tooMany || connectionLost(err) }

// waitToRetry waits, longer after each failure, and reports whether to repeat a transaction that
// failed. It never repeats one that the server may have carried out.
func waitToRetry(ctx context.Context, err error, failed int) bool {
	code := codeOf(err)
	asked := code == serialization || code == deadlock
	if failed >= tries || errors.Is(err, errDoubt) || !asked && (failed >= losses || !connectionLost(err)) {
		return false
	}
	// A random wait keeps two transactions from colliding again.
	wait := min(longest, time.Millisecond<<min(failed, 10))
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait/2 + rand.N(wait)):
		return true
	}
}

// refused reports whether a statement divided by 0, or inserted a row that is there.
func refused(err error) bool { return codeOf(err) == divisionByZero || codeOf(err) == uniqueViolation }

func inDoubt(err error) bool { return errors.Is(err, errDoubt) }

// explain describes an error that the user can remedy.
func explain(err error) (code fault.Code, message, remedy string) {
	switch state := codeOf(err); {
	case inDoubt(err):
		return fault.Store, "the change may have been made or not",
			"read the context again to see; the store looks up a change with a request token by itself"
	case state == serialization, state == deadlock:
		return fault.Busy, "other writers were faster at every attempt", "try again: nothing was changed"
	case state == tooMany:
		return fault.Busy, "the server has no connection left", "try again, or put a pooler in front of it"
	case state == diskFull:
		return fault.Store, "the disk of the server is full", "make room and repeat the call: nothing was changed"
	case state == noDatabase:
		return fault.Store, "there is no such database", "make it first: createdb"
	case strings.HasPrefix(state, "28"):
		return fault.Store, "the server refused this user", "check the user and the password in the address"
	case state == noPermission:
		return fault.Store, "the user lacks a permission", "have the owner of the tables GRANT SELECT, INSERT, UPDATE, DELETE on " +
			"pair and log, SELECT on pact_store; to clean up after an erasure, be that owner"
	case state == takesNoChanges:
		return fault.Store, "the server takes no changes", "name all servers in the address, and target_session_attrs=read-write"
	case connectionLost(err):
		return fault.Store, "the server cannot be reached", "check the address and that the server runs, then repeat the call"
	}
	return fault.Store, "", ""
}
