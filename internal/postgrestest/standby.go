//go:build unix

package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Standby copies a running server, starts the copy as its standby, and returns when every commit
// of the server waits until the standby has it too.
func (s *Server) Standby() (*Server, error) {
	b := &Server{bin: s.bin, user: s.user, version: s.version}
	var err error
	if b.Dir, err = os.MkdirTemp("", "pg"); err != nil {
		return nil, err
	}
	if err := b.follow(s); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.Dir))
	}
	return b, nil
}

func (s *Server) follow(primary *Server) error {
	if s.user != nil {
		if err := os.Chown(s.Dir, int(s.user.Uid), int(s.user.Gid)); err != nil {
			return err
		}
	}
	backup := s.Command(filepath.Join(s.bin, "pg_basebackup"), "--pgdata="+s.data(), "--write-recovery-conf",
		"--checkpoint=fast", "--no-sync", "--host="+primary.Dir, "--port="+port, "--username="+role)
	if out, err := backup.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	if err := s.Run(); err != nil {
		return err
	}
	// The standby has no such setting: nothing follows it after its promotion.
	for _, command := range [...]string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if _, err := primary.ask(command); err != nil {
			return err
		}
	}
	for deadline := time.Now().Add(starting); time.Now().Before(deadline); time.Sleep(retryTime) {
		state, err := primary.ask("SELECT sync_state FROM pg_stat_replication")
		if err != nil || state == "sync" {
			return err
		}
	}
	return errors.New("the standby does not follow")
}

// ask returns the first value that a statement finds, "" for none.
func (s *Server) ask(statement string) (string, error) {
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, statement).ReadAll()
	if err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

// Promote makes a standby a server that takes changes.
func (s *Server) Promote() error {
	promote := s.Command(filepath.Join(s.bin, "pg_ctl"), "promote", "--pgdata="+s.data())
	if out, err := promote.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_ctl promote: %w: %s", err, out)
	}
	return nil
}
