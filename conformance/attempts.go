package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// attempts starts an attempt for every way in which one can end, and ends each. It
// wants the record of 03 §6.2 every time, and wants unchanged documents.
func (r *runner) attempts(Check) error {
	var before [2][]byte
	for i, at := range [...]string{"", "working"} {
		var err error
		if before[i], err = r.document(at); err != nil {
			return err
		}
	}
	var ids []string
	statuses := []string{"canceled", "error", "completed"}
	for _, status := range statuses {
		out, err := r.output(r.about("attempts", []string{"start", "--json", "--provider=p", "--model=m"})...)
		if err != nil {
			return err
		}
		id, err := record(out, "running")
		if err != nil {
			return err
		}
		out, err = r.output(r.about("attempts", []string{"end", "--json", "--status=" + status, "--token-in=812",
			"--token-out=0"}, id)...)
		if err != nil {
			return err
		}
		if err := recorded(out, status, id); err != nil {
			return fmt.Errorf("attempts end: %w", err)
		}
		ids = append(ids, id)
	}
	out, err := r.output(r.about("attempts", []string{"list", "--json"})...)
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(ids) {
		return fmt.Errorf("attempts list: wants %d records, one a line, got: %s", len(ids), firstOf(out))
	}
	for i, l := range lines {
		if err := recorded(l, statuses[i], ids[i]); err != nil {
			return fmt.Errorf("attempts list: line %d: %w", i+1, err)
		}
	}
	for i, at := range [...]string{"", "working"} {
		after, err := r.document(at)
		if err != nil {
			return err
		}
		if !bytes.Equal(before[i], after) {
			return fmt.Errorf("export %s: attempts changed it from %s to %s", at, firstOf(before[i]), firstOf(after))
		}
	}
	return nil
}

// recorded wants the record of one attempt.
func recorded(data []byte, status, id string) error {
	got, err := record(data, status)
	if err == nil && got != id {
		err = fmt.Errorf("wants the record of %s, got that of %s", id, got)
	}
	return err
}

// record checks the ten fields of an attempt and returns its id.
func record(data []byte, status string) (id string, err error) {
	var members map[string]json.RawMessage
	if err := decode(data, &members); err != nil {
		return "", err
	}
	ended := status != "running"
	is := func(want string) func(json.RawMessage) bool {
		return func(v json.RawMessage) bool { return string(v) == want }
	}
	count := func(want string) func(json.RawMessage) bool {
		if !ended {
			want = "null"
		}
		return is(want)
	}
	for _, field := range [...]struct {
		name string
		ok   func(json.RawMessage) bool
	}{
		{"attempt_id", isText}, {"cycle_id", isInteger}, {"status", is(`"` + status + `"`)},
		{"started_at", isTime}, {"ended_at", func(v json.RawMessage) bool {
			return ended && isTime(v) || !ended &&
				string(v) == "null"
		}},
		{"provider", is(`"p"`)}, {"model", is(`"m"`)}, {"params_hash", isText},
		{"token_in", count("812")}, {"token_out", count("0")},
	} {
		if !field.ok(members[field.name]) {
			return "", fmt.Errorf("wants a valid %s of an attempt that is %s in: %s", field.name, status, firstOf(data))
		}
	}
	return id, json.Unmarshal(members["attempt_id"], &id)
}

func isTime(v json.RawMessage) bool {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil
}
