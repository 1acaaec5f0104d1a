package postgres

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/jackc/pgx/v5/pgconn"
)

// Clean implements store.Cleaner. It writes the tables anew without deleted, erased and joined rows,
// for which the server needs room for a second copy of the larger one; everybody else waits while it
// writes a table. remains names who keeps old rows there: the owner of the tables if the user is
// another, a transaction, a replication slot or a standby with an older snapshot, or who locks a
// table. For a snapshot it waits fifteen seconds, for a lock five. If ctx is canceled, what was not written anew stays
// as it was. It returns E_STORE if the tables cannot be written anew, as on an engine without such a
// statement. Cost: reading everything in the store, and writing it once.
func (s *Store) Clean(ctx context.Context) (remains string, err error) {
	remains, err = s.clean(ctx)
	switch {
	case err == nil:
		return remains, nil
	case ctx.Err() != nil:
		return "", fault.Wrap(fault.Store, ctx.Err(), "the tables were not written anew: the call was interrupted",
			"call it again, with a context that has not ended")
	}
	code, why, remedy := explain(err)
	if why != "" {
		why = ": " + why
	}
	return "", fault.Wrap(code, err, "the tables were not written anew"+why, remedy)
}

// cleaning is a connection of its own on which tables are written anew, because the server tells in
// a notice how many deleted rows it kept.
type cleaning struct {
	pg       *pgconn.PgConn
	patience time.Duration
	kept     bool // the last table that was written anew has deleted rows
}

// verdict is how the notice of CLUSTER VERBOSE on deleted rows begins in any language.
var verdict = regexp.MustCompile(`^\D*(\d+)`)

func (s *Store) clean(ctx context.Context) (remains string, err error) {
	c := &cleaning{patience: s.connector.patience}
	config := s.connector.config.Copy()
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if m := verdict.FindStringSubmatch(n.Detail); m != nil {
			c.kept = m[1] != "0"
		}
	}
	if c.pg, err = pgconn.ConnectConfig(ctx, config); err != nil {
		return "", err
	}
	defer c.pg.Close(context.WithoutCancel(ctx))
	if remains, err = c.first(ctx, others); err != nil || remains != "" {
		return remains, err
	}
	// Whatever was deleted so far was deleted by an older transaction than this one.
	now, err := c.first(ctx, "SELECT pg_snapshot_xmax(pg_current_snapshot())::xid::text")
	if err != nil {
		return "", err
	}
	if remains, err = c.await(ctx, now); err != nil || remains != "" {
		return remains, err
	}
	for _, table := range [...]string{"pair", "log"} {
		if remains, err = c.rewrite(ctx, table, now); err != nil || remains != "" {
			return remains, err
		}
	}
	return "", nil
}

// others names the owner of the tables if the user may not write them anew.
const others = `SELECT format('the tables belong to %1$s and %2$s may not write them anew: do that as %1$s, or after GRANT %1$I TO %2$I',
		pg_get_userbyid(relowner), current_user)
	FROM pg_class WHERE oid IN ('pair'::regclass, 'log'::regclass) AND NOT pg_has_role(relowner, 'USAGE') AND NOT
		CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(oid, 'MAINTAIN') ELSE false END`

// older names who may see rows that were deleted before the transaction with a number. A standby has no database; what
// it is, the server tells only a user who may look at its role.
const older = `SELECT who FROM (
	SELECT CASE backend_type WHEN 'walsender' THEN format('the standby %%s, for its hot_standby_feedback,', application_name)
		ELSE format('%%s %%s of %%s, %%s, in a transaction since %%s,', coalesce(backend_type, 'process'), pid, coalesce(usename, 'the server'),
			coalesce(nullif(application_name, ''), 'without a name'), coalesce(date_trunc('second', xact_start)::text, '…')) END AS who,
		greatest(age(backend_xmin), age(backend_xid)) AS age FROM pg_stat_activity
		WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)
	UNION ALL SELECT format('the prepared transaction %%L of %%s', gid, owner), age(transaction) FROM pg_prepared_xacts
		WHERE database = current_database()
	UNION ALL SELECT format('the replication slot %%s', slot_name), age(xmin) FROM pg_replication_slots
) AS holders WHERE age > age('%s'::xid) ORDER BY age DESC LIMIT 1`

// locking names who holds a lock on a table.
const locking = `SELECT format('%%s %%s of %%s, %%s,', coalesce(backend_type, 'process'), pid, usename, coalesce(nullif(application_name, ''), 'without a name'))
	FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = '%s'::regclass AND granted AND pid <> pg_backend_pid() LIMIT 1`

// await waits until nobody sees rows that were deleted before the transaction now, and says who still does. A
// standby with hot_standby_feedback tells every ten seconds what it needs.
func (c *cleaning) await(ctx context.Context, now string) (remains string, err error) {
	for until := time.Now().Add(3 * c.patience); ; {
		who, err := c.first(ctx, fmt.Sprintf(older, now))
		if err != nil || who == "" {
			return "", err
		}
		if time.Now().After(until) {
			return who + " has an older snapshot, for which the server keeps deleted rows; end it", nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

// rewrite writes a table anew. Plain VACUUM would not do: it frees space for reuse and leaves the old
// bytes in it. VACUUM FULL takes no time limit for its lock without a setting of the session.
func (c *cleaning) rewrite(ctx context.Context, table, now string) (remains string, err error) {
	if remains, err = c.cluster(ctx, table); err != nil || remains != "" || !c.kept {
		return remains, err
	}
	// Rows that others deleted a moment ago may stay.
	if remains, err = c.await(ctx, now); err != nil || remains != "" {
		return remains, err
	}
	defers, err := c.first(ctx, "SELECT nullif(current_setting('vacuum_defer_cleanup_age', true), '0')")
	if err != nil || defers != "" {
		return "the server keeps deleted rows for vacuum_defer_cleanup_age=" + defers + "; set it to 0", err
	}
	return c.cluster(ctx, table) // whoever had them kept is gone
}

// cluster writes a table anew once, and says who locks it.
func (c *cleaning) cluster(ctx context.Context, table string) (remains string, err error) {
	c.kept = true
	_, err = c.first(ctx, fmt.Sprintf(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = %d;
		SET LOCAL statement_timeout = 0; CLUSTER VERBOSE %s USING %[2]s_pkey; COMMIT`, c.patience.Milliseconds(), table))
	if codeOf(err) == lockTimeout {
		who, failed := c.first(ctx, "ROLLBACK; "+fmt.Sprintf(locking, table))
		if who == "" {
			who = "another connection"
		}
		return who + " locks the table " + table + "; end its transaction", failed
	}
	return "", err
}

// first returns the first value of the last statement, "" for none.
func (c *cleaning) first(ctx context.Context, statements string) (value string, err error) {
	results, err := c.pg.Exec(ctx, statements).ReadAll()
	if len(results) > 0 && err == nil {
		if rows := results[len(results)-1].Rows; len(rows) > 0 {
			value = string(rows[0][0])
		}
	}
	return value, err
}
