package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Command runs the command line under test and returns what it printed on
// standard output and its exit code.
type Command func(ctx context.Context, args ...string) (stdout []byte, exit int, err error)

// Run runs one case in a directory of its own. A nil error means it passed.
func Run(ctx context.Context, c Case, dir string, command Command) error {
	r := runner{ctx, c, dir, command}
	switch c.Kind {
	case "select":
		return r.selects()
	case "thread":
		return r.prints(c.Bytes+"\n", "thread", "--edition", c.Edition)
	case "hash":
		return r.hashes()
	case "stable":
		return r.stable()
	case "apply":
		return r.applies()
	case "commit":
		return r.commits()
	case "transcript":
		return r.transcript()
	}
	return fmt.Errorf("case %s is of the unknown kind %q", c.ID, c.Kind)
}

type runner struct {
	ctx context.Context
	Case
	dir     string
	command Command
}

func (r *runner) file(name string, data []byte) (string, error) {
	path := filepath.Join(r.dir, name)
	return path, os.WriteFile(path, data, 0o600)
}

// output runs the command and wants it to succeed.
func (r *runner) output(args ...string) ([]byte, error) {
	out, exit, err := r.command(r.ctx, args...)
	if err == nil && exit != 0 {
		err = fmt.Errorf("%s: exit %d: %s", strings.Join(args, " "), exit, out)
	}
	return out, err
}

func (r *runner) selects() error {
	path, err := r.file("fixture.json", r.Fixture)
	if err != nil {
		return err
	}
	args := []string{"select", "--json", "--edition", r.Edition, "--file", path, "--", r.Selector}
	if r.Error == "" {
		return r.selection(r.Expect, args...)
	}
	out, exit, err := r.command(r.ctx, args...)
	if err != nil {
		return err
	}
	var failure struct{ Error struct{ Code string } }
	if err := json.Unmarshal(out, &failure); err != nil || failure.Error.Code != r.Error || exit == 0 {
		return fmt.Errorf("%s: want the error %s, got exit %d: %s", r.Selector, r.Error, exit, out)
	}
	return nil
}

// selection wants a command to print these ids.
func (r *runner) selection(want []string, args ...string) error {
	out, err := r.output(args...)
	if err != nil {
		return err
	}
	got := []string{}
	if err := json.Unmarshal(out, &got); err != nil {
		return fmt.Errorf("%s: %w: %s", args[len(args)-1], err, out)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: got %q, want %q", args[len(args)-1], got, want)
	}
	return nil
}

// prints wants a command on the fixture to print exactly these bytes.
func (r *runner) prints(want string, args ...string) error {
	path, err := r.file("fixture.json", r.Fixture)
	if err != nil {
		return err
	}
	out, err := r.output(append(args, "--file", path)...)
	if err == nil && string(out) != want {
		err = fmt.Errorf("%s: got %s, want %s", args[0], out, want)
	}
	return err
}

func (r *runner) hashes() error {
	for i, node := range r.Nodes {
		path, err := r.file("node.json", node)
		if err != nil {
			return err
		}
		out, err := r.output("hash", "--file", path)
		if err != nil {
			return err
		}
		if got := strings.TrimSuffix(string(out), "\n"); got != r.Digests[i] {
			return fmt.Errorf("hash of node %d: got %s, want %s", i, got, r.Digests[i])
		}
	}
	return nil
}

// stable exports the fixture, exports the export, and renders both: the bytes
// must be the same.
func (r *runner) stable() error {
	path, err := r.file("fixture.json", r.Fixture)
	if err != nil {
		return err
	}
	for _, verb := range []string{"export", "thread"} {
		first, err := r.output(verb, "--edition", r.Edition, "--file", path)
		if err != nil {
			return err
		}
		exported, err := r.output("export", "--edition", r.Edition, "--file", path)
		if err != nil {
			return err
		}
		again, err := r.file("again.json", exported)
		if err != nil {
			return err
		}
		second, err := r.output(verb, "--file", again)
		if err != nil {
			return err
		}
		if !bytes.Equal(first, second) {
			return fmt.Errorf("%s of an export: got %s, want %s", verb, second, first)
		}
	}
	return nil
}

func (r *runner) applies() error {
	ops, err := r.file("ops.jsonl", append(bytes.Join(rawLines(r.Operations), []byte("\n")), '\n'))
	if err != nil {
		return err
	}
	history, err := r.output("apply", ops)
	if err != nil {
		return err
	}
	path, err := r.file("history.jsonl", history)
	if err != nil {
		return err
	}
	for _, c := range r.Checks {
		if err := r.selection(c.Expect, "select", "--edition", r.Edition, "--file", path, "--", c.Selector); err != nil {
			return err
		}
	}
	return nil
}

func rawLines(ops []json.RawMessage) [][]byte {
	lines := make([][]byte, len(ops))
	for i, op := range ops {
		var b bytes.Buffer
		if err := json.Compact(&b, op); err != nil {
			b.Reset()
			b.Write(op)
		}
		lines[i] = b.Bytes()
	}
	return lines
}

func (r *runner) stored(data []byte) (db string, err error) {
	path, err := r.file("input.json", data)
	if err != nil {
		return "", err
	}
	db = filepath.Join(r.dir, "case.db")
	_, err = r.output("import", path, "--name", "case", "--edition", r.Edition, "--db", db)
	return db, err
}

func (r *runner) commits() error {
	db, err := r.stored(r.Fixture)
	if err != nil {
		return err
	}
	if _, err := r.output("commit", "case", "--db", db); err != nil {
		return err
	}
	for _, c := range r.Checks {
		if err := r.selection(c.Expect, "select", "case", "--json", "--db", db, "--", c.Selector); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) transcript() error {
	db, err := r.stored(r.Messages)
	if err != nil {
		return err
	}
	if _, err := r.output("thread", "case", fmt.Sprintf("@c%d", r.Cycles), "--db", db); err != nil {
		return err
	}
	for _, want := range r.Rendered {
		out, err := r.output("thread", "case", want.At, "--as", "openai", "--db", db)
		if err != nil {
			return err
		}
		var a, b any
		if err := json.Unmarshal(out, &a); err != nil {
			return fmt.Errorf("thread %s: %w", want.At, err)
		}
		if err := json.Unmarshal(want.Messages, &b); err != nil {
			return err
		}
		if !reflect.DeepEqual(a, b) {
			return fmt.Errorf("thread %s: got %s, want %s", want.At, out, want.Messages)
		}
	}
	return nil
}
