package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// refuses wants the program to refuse the last of the operations, and only that
// one; or to refuse the import of the fixture, but not that of its control.
func (r *runner) refuses(c Check) error {
	if !r.applied() {
		return r.refusesImport(c)
	}
	all := bytes.SplitAfter(bytes.TrimSpace(r.input), []byte("\n"))
	before, err := r.write("before.jsonl", bytes.Join(all[:len(all)-1], nil))
	if err != nil {
		return err
	}
	if _, err := r.output("apply", before); err != nil {
		return fmt.Errorf("before the operation that must be refused: %w", err)
	}
	path, err := r.write("operations.jsonl", r.input)
	if err != nil {
		return err
	}
	return r.refused(c.Error, "apply", path, "--json")
}

func (r *runner) refusesImport(c Check) error {
	importing := func(name string, data []byte) ([]string, error) {
		path, err := r.write(name+".json", data)
		return []string{"import", path, "--json", "--name", "case", "--edition", r.Case.Edition, "--db",
			filepath.Join(r.dir, name+".db")}, err
	}
	args, err := importing("control", r.control)
	if err != nil {
		return err
	}
	if _, err := r.output(args...); err != nil {
		return fmt.Errorf("the control, a document without the fault: %w", err)
	}
	if args, err = importing("given", r.input); err != nil {
		return err
	}
	return r.refused(c.Error, args...)
}

// snapshots returns the lines that apply prints for operations.
func (r *runner) snapshots(ops []byte) ([][]byte, error) {
	path, err := r.write("operations.jsonl", ops)
	if err != nil {
		return nil, err
	}
	out, err := r.output("apply", path)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		return nil, errors.New("apply: the last line does not end: " + firstOf(out))
	}
	return bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n")), nil
}

func (r *runner) cycles(c Check) error {
	lines, err := r.snapshots(r.input)
	if err != nil {
		return err
	}
	var got []int64
	for _, l := range lines {
		var s struct{ Cycle *int64 }
		if err := json.Unmarshal(l, &s); err != nil || s.Cycle == nil {
			return fmt.Errorf("apply: wants a snapshot with its cycle on each line, got: %s", firstOf(l))
		}
		got = append(got, *s.Cycle)
	}
	if !slices.Equal(got, c.Cycles) {
		return fmt.Errorf("apply: wants snapshots of the cycles %v, got %v", c.Cycles, got)
	}
	return nil
}

// immutable applies the operations up to each commit and up to the end. It wants
// every published snapshot to keep its bytes.
func (r *runner) immutable(Check) error {
	whole, err := r.snapshots(r.input)
	if err != nil {
		return err
	}
	var upTo []byte
	commits := 0
	for op := range bytes.Lines(r.input) {
		upTo = append(upTo, op...)
		var o struct{ Op string }
		if json.Unmarshal(op, &o) != nil || o.Op != "commit" {
			continue
		}
		commits++
		part, err := r.snapshots(upTo)
		if err != nil {
			return err
		}
		if len(part) != commits || len(whole) < commits || !slices.EqualFunc(part, whole[:commits], bytes.Equal) {
			return fmt.Errorf("apply: after %d commits there are other snapshots than later", commits)
		}
	}
	if commits == 0 || len(whole) != commits {
		return fmt.Errorf("apply: wants %d snapshots, got %d", commits, len(whole))
	}
	return nil
}
