// Package conformance holds the normative cases of the specification as data
// and runs them against a command line: this project's or that of another
// implementation which speaks the same contract (select, thread, export, hash,
// apply, import, commit).
package conformance

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"sort"
)

//go:embed cases/*.json
var files embed.FS

// Source is where the specification prints a case.
type Source struct {
	Document string `json:"document"` // the number its file name begins with
	Section  string `json:"section"`
	Line     int    `json:"line"`
}

// Case is one normative case.
type Case struct {
	ID       string          `json:"id"`
	Source   Source          `json:"source"`
	Kind     string          `json:"kind"` // select, thread, hash, stable, apply, commit or transcript
	Edition  string          `json:"edition"`
	Fixture  json.RawMessage `json:"-"`      // the snapshot document it is about, if any
	Mended   string          `json:"mended"` // the slip in what is printed, where there is one
	Selector string          `json:"selector"`
	Expect   []string        `json:"expect"`
	Error    string          `json:"error"` // the code expected instead of a result

	Bytes      string            `json:"bytes"`      // thread
	Nodes      []json.RawMessage `json:"nodes"`      // hash
	Digests    []string          `json:"digests"`    // of Nodes
	Operations []json.RawMessage `json:"operations"` // apply
	Checks     []Check           `json:"checks"`     // apply, commit
	Messages   json.RawMessage   `json:"messages"`   // transcript
	Cycles     int               `json:"cycles"`
	Rendered   []Rendered        `json:"rendered"`
}

// Check is a selector asked of the result of a case.
type Check struct {
	Selector string   `json:"selector"`
	Expect   []string `json:"expect"`
}

// Rendered is what a state of an imported conversation renders back to.
type Rendered struct {
	At       string          `json:"at"`
	Messages json.RawMessage `json:"messages"`
}

// Cases returns all cases, ordered by file and place in it.
func Cases() ([]Case, error) {
	names, err := fs.Glob(files, "cases/*.json")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var all []Case
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var file struct {
			Fixtures map[string]json.RawMessage `json:"fixtures"`
			Cases    []struct {
				Case
				Fixture string `json:"fixture"`
			} `json:"cases"`
		}
		if err := json.Unmarshal(data, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, c := range file.Cases {
			if c.Fixture != "" {
				fixture, ok := file.Fixtures[c.Fixture]
				if !ok {
					return nil, fmt.Errorf("%s: case %s names the fixture %q, which is not there", name, c.ID, c.Fixture)
				}
				c.Case.Fixture = fixture
			}
			all = append(all, c.Case)
		}
	}
	return all, nil
}
