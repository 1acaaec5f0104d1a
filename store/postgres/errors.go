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
	patience = 5 * time.Second        // for a server that is restarting
	pause    = 50 * time.Millisecond  // until it is asked again
	longest  = 200 * time.Millisecond // that a transaction waits until it is tried again
	tries    = 64                     // of one transaction
	losses   = 8                      // tries of one transaction whose connections are lost
)

// errDoubt marks an error of which nobody knows whether it came before or after
// the transaction was carried out.
var errDoubt = errors.New("the connection was lost before the answer came")

// codeOf returns the SQLSTATE of an error, "" where the server sent none.
func codeOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// The codes that something is made of. Class 08 is what PgBouncer answers when it
// lost the server.
const (
	classConnection   = "08"
	classConstraint   = "23"
	serialization     = "40001"
	unknownCompletion = "40003"
	deadlock          = "40P01"
	adminShutdown     = "57P01"
	crashShutdown     = "57P02"
	notYet            = "57P03"
	tooMany           = "53300"
	diskFull          = "53100"
	noTable           = "42P01"
	tableTaken        = "42P07"
	noDatabase        = "3D000"
)

// lost reports whether an error means that the connection is gone.
func lost(err error) bool {
	switch code := codeOf(err); {
	case code == adminShutdown, code == crashShutdown, code == notYet, code == unknownCompletion,
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

// unavailable reports whether a connection could not be made because the server
// is restarting, or has no room at the moment.
func unavailable(err error) bool { return codeOf(err) == tooMany || lost(err) }

// again reports whether a transaction that failed is to be tried once more, after
// a wait that grows. Where it is in doubt whether it was carried out, it is not.
func again(ctx context.Context, err error, failed int) bool {
	code := codeOf(err)
	asked := code == serialization || code == deadlock
	if failed >= tries || errors.Is(err, errDoubt) || !asked && (failed >= losses || !lost(err)) {
		return false
	}
	// Two that met are not to meet again.
	wait := min(longest, time.Millisecond<<min(failed, 10))
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait/2 + rand.N(wait)):
		return true
	}
}

func isConstraint(err error) bool { return strings.HasPrefix(codeOf(err), classConstraint) }

func inDoubt(err error) bool { return errors.Is(err, errDoubt) }

// explain puts into words what has a remedy.
func explain(err error) (code fault.Code, message, remedy string) {
	switch state := codeOf(err); {
	case inDoubt(err):
		return fault.Store, "the connection was lost before the answer came; the change may have been made or not",
			"read the context again to see; a change with a request token is looked up by itself"
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
	case state == "42501":
		return fault.Store, "the user lacks a permission", "give it the tables: GRANT ALL ON ALL TABLES IN SCHEMA public"
	case lost(err):
		return fault.Store, "the server cannot be reached", "check the address and that the server runs, then repeat the call"
	}
	return fault.Store, "", ""
}
