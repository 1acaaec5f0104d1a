package agents

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
)

// Checkup is one thing that was tried because the calls of a program may not be recorded.
type Checkup struct {
	Tried  string `json:"tried"` // store, address, environment, settings or program
	Works  bool   `json:"works"`
	Says   string `json:"says"`             // what is so; of what does not work, the cause
	Remedy string `json:"remedy,omitempty"` // what to do about it

	NeedsProxy bool `json:"-"` // the remedy says to start a proxy
}

// TryStore writes nothing into the store that is there, and leaves none where there was none. shown is the
// store without its password.
func TryStore(ctx context.Context, db, shown string) Checkup {
	if err := writeNothing(ctx, db); err != nil {
		return failed("store", err, "name another store")
	}
	return Checkup{Tried: "store", Works: true, Says: shown + " can be written"}
}

// failed is what was tried and failed, with the remedy of its error, or otherwise another.
func failed(tried string, err error, otherwise string) Checkup {
	c := Checkup{Tried: tried, Says: err.Error(), Remedy: otherwise}
	var f *fault.Error
	if errors.As(err, &f) {
		c.Says, c.Remedy = f.Message, cmp.Or(f.Remedy, otherwise)
		if cause := errors.Unwrap(f); cause != nil {
			c.Says += ": " + cause.Error()
		}
	}
	return c
}

func writeNothing(ctx context.Context, db string) (err error) {
	if postgres.IsAddress(db) {
		s, err := postgres.Open(ctx, db)
		if err != nil {
			return err
		}
		return errors.Join(s.Write(ctx, &store.Batch{}), s.Close())
	}
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		dir, err := os.MkdirTemp(filepath.Dir(db), ".pact-doctor-*")
		if err != nil {
			return fault.Wrap(fault.Store, err, "no store can be made at "+db, "make the folder, or name another store")
		}
		defer func() { _ = os.RemoveAll(dir) }()
		db = filepath.Join(dir, "pact.db")
	}
	s, err := sqlite.Open(ctx, db)
	if err != nil {
		return err
	}
	return errors.Join(s.Write(ctx, &store.Batch{}), s.Close())
}

// TryAddress listens where a proxy would.
func TryAddress(address string) Checkup {
	listener, err := proxy.Listen(address)
	if err == nil {
		at := listener.Addr().String()
		if err = listener.Close(); err == nil {
			return Checkup{Tried: "address", Works: true, Says: "pact can listen on " + at}
		}
	}
	return failed("address", err, "")
}

// TryEnvironment looks for a proxy that takes the calls for loopback before pact gets them: curl, Python's
// and many of Node's libraries ask it for every address that NO_PROXY does not name.
func TryEnvironment(env map[string]string) Checkup {
	name := proxied(env)
	if name == "" {
		return Checkup{Tried: "environment", Works: true, Says: "no other proxy takes calls for 127.0.0.1"}
	}
	return Checkup{Tried: "environment", Works: true, Says: name + " names another proxy, from which pact run keeps the calls for " +
		"127.0.0.1 by NO_PROXY; for a program that pact proxy serves, set NO_PROXY=127.0.0.1 yourself"}
}

// TrySettings says of each agent that has settings here where its calls go.
func TrySettings(env map[string]string) (list []Checkup) {
	for _, one := range agents {
		if one.resolve == nil {
			continue
		}
		name := one.names[0]
		p, err := NewProgram([]string{name}, env)
		for _, c := range p.tried(name, err) {
			if c.Remedy != "" || strings.Contains(c.Says, ", from "+string(filepath.Separator)) {
				list = append(list, c)
			}
		}
	}
	return list
}

// tried says where the calls of a program go, or why that is unknown.
func (p *Program) tried(name string, err error) (list []Checkup) {
	if err != nil {
		c := failed("settings", err, "")
		c.NeedsProxy = p.NeedsProxy
		return []Checkup{c}
	}
	for _, r := range p.Routes {
		from := r.From
		if from == "" {
			from = "no setting: it is the default"
		}
		list = append(list, Checkup{Tried: "settings", Works: true, Says: name + " calls " + r.To.String() + ", from " + from})
	}
	return list
}
