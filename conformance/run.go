package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Answer is the output of a command and its exit code.
type Answer struct {
	Out, Err []byte // standard output and standard error
	Exit     int    // the exit code
}

// Command runs the program under test. An error means that there is no answer,
// because the program did not start or took too long.
type Command func(ctx context.Context, args ...string) (Answer, error)

// Run runs one case against a command, in the directory dir. A nil error means
// that every answer was the expected one, a [Shortfall] that the documents' own demands were met in meaning. If the
// specification contradicts its own printed result, the expected answer is that of our reading.
func Run(ctx context.Context, c Case, dir string, command Command) error {
	r := &runner{ctx: ctx, Case: c, dir: dir, command: command}
	if err := r.prepare(); err != nil {
		return err
	}
	for i, check := range c.checks() {
		f, known := kinds[check.Kind]
		if !known {
			return fmt.Errorf("check %d is of the unknown kind %q", i+1, check.Kind)
		}
		err := f(r, check)
		if err != nil && check.Origin.House() && !c.Origin.House() && ctx.Err() == nil {
			err = r.falls(Shortfall{err, false, check.Origin})
		}
		if err != nil {
			return err
		}
	}
	if r.fell {
		return r.short
	}
	return nil
}

// runner holds the state of a running case.
type runner struct {
	ctx context.Context
	Case
	dir     string
	command Command

	file string   // the file of the input, or of the history that apply makes of it
	made []byte   // that history
	from []string // the flags that name the file or the store to ask
	name []string // the positional argument that names the context in the store, if there is one

	short Shortfall // what the answers fell short of, if fell
	fell  bool
}

// write puts a file into the directory of the case.
func (r *runner) write(name string, data []byte) (string, error) {
	path := filepath.Join(r.dir, name)
	return path, os.WriteFile(path, data, 0o600)
}

// output runs a command that must succeed.
func (r *runner) output(args ...string) ([]byte, error) {
	a, err := r.command(r.ctx, args...)
	if err == nil && a.Exit != 0 {
		err = fmt.Errorf("%s: exit code %d: %s", line(args), a.Exit, firstOf(a.Out, a.Err))
	}
	return a.Out, err
}

// refused runs a command that must fail with one of the codes.
func (r *runner) refused(codes Codes, args ...string) error {
	a, err := r.command(r.ctx, args...)
	if err != nil {
		return err
	}
	if a.Exit == 0 {
		return fmt.Errorf("%s: wants the error %s, got: %s", line(args), codes, firstOf(a.Out))
	}
	var failure struct{ Error struct{ Code string } }
	if err := json.Unmarshal(a.Out, &failure); err != nil || failure.Error.Code == "" {
		return fmt.Errorf("%s: wants an error object on standard output, got: %s", line(args), firstOf(a.Out, a.Err))
	}
	if !slices.Contains(codes, failure.Error.Code) {
		err := fmt.Errorf("%s: wants the error %s, got %s", line(args), codes, failure.Error.Code)
		return r.falls(Shortfall{err, true, ofCodes(codes)})
	}
	return nil
}

// about returns the arguments of a command on the input of the case.
func (r *runner) about(verb string, flags []string, args ...string) []string {
	all := slices.Concat([]string{verb}, flags, r.from, []string{"--"}, r.name)
	for _, arg := range args {
		if arg != "" {
			all = append(all, arg)
		}
	}
	return all
}

// prepare puts the input where the checks find it.
func (r *runner) prepare() error {
	refused := slices.ContainsFunc(r.checks(), func(c Check) bool { return c.Kind == "refused" })
	switch {
	case refused || r.input == nil:
		return r.readsInput()
	case r.Stored || r.Given.Messages != nil || len(r.Steps) > 0:
		return r.store()
	case r.applied():
		if err := r.apply(); err != nil {
			return err
		}
		return r.readsInput()
	}
	var err error
	if r.file, err = r.write(fixtureName(r.Fixture), r.input); err != nil {
		return err
	}
	r.from = []string{"--file", r.file, "--edition", r.Case.Edition}
	return r.readsInput()
}

// fixtureName keeps the ending, which tells a program whether the file is a
// document or a history.
func fixtureName(name string) string { return "given" + filepath.Ext(name) }

// apply makes a history from the operations.
func (r *runner) apply() error {
	ops, err := r.write("operations.jsonl", r.input)
	if err != nil {
		return err
	}
	history, err := r.output("apply", ops)
	if err != nil {
		return err
	}
	if err := isHistory(history); err != nil {
		return err
	}
	r.made = history
	r.file, err = r.write("history.jsonl", history)
	r.from = []string{"--file", r.file, "--edition", r.Case.Edition}
	return err
}

// store puts the input into a store, as a context called case, and runs the steps.
func (r *runner) store() error {
	path, err := r.write(fixtureName(r.Fixture+".jsonl"), r.input)
	if err == nil && r.applied() {
		err = r.apply()
	}
	if err != nil {
		return err
	}
	db := filepath.Join(r.dir, "case.db")
	r.from, r.name = []string{"--db", db}, []string{"case"}
	if r.applied() {
		_, err = r.output("apply", path, "--into", "case", "--db", db)
	} else {
		_, err = r.output("import", path, "--name", "case", "--edition", r.Case.Edition, "--db", db)
	}
	if err == nil {
		err = r.readsInput()
	}
	if err != nil {
		return err
	}
	for _, s := range r.Steps {
		args := slices.Concat([]string{s.Op, "--json", "--db", db}, flags(s.Flags), []string{"--", "case"}, s.Args)
		if len(s.Error) > 0 {
			err = r.refused(s.Error, args...)
		} else {
			_, err = r.output(args...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flags writes a map as flags, in the order of their names.
func flags(m map[string]any) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		values, several := m[name].([]any)
		if !several {
			values = []any{m[name]}
		}
		for _, v := range values {
			list = append(list, fmt.Sprintf("--%s=%v", name, v))
		}
	}
	return list
}

// line returns a command as one line for a person.
func line(args []string) string { return strings.Join(args, " ") }

// firstOf returns the beginning of the first text that is not empty.
func firstOf(texts ...[]byte) string {
	const most = 400
	for _, t := range texts {
		if t = bytes.TrimSpace(t); len(t) > most {
			return string(t[:most]) + " …"
		} else if len(t) > 0 {
			return string(t)
		}
	}
	return "nothing"
}

// decode reads exactly one JSON value.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("this is no JSON: %s", firstOf(data))
	}
	if d.More() {
		return errors.New("there is more than one JSON value: " + firstOf(data))
	}
	return nil
}
