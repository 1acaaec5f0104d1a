// Package conformance is the conformance kit: what the specification prints as
// normative, as data that no language owns, and a runner that puts it to a
// command line. The cases are in cases, what they are asked of in fixtures and
// operations, the checklists in checklists; docs/conformance.md describes their
// format and the commands that an implementation has to speak.
//
// The package knows nothing of this implementation: a [Command] runs the program
// under test, whichever it is.
package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed cases/*.json fixtures operations checklists/*.json
var files embed.FS

// Source is a place where the specification prints something. Mark is a piece
// of that line; where it is empty, the line has the selector of the case.
type Source struct {
	Document string `json:"document"` // the number its file name begins with
	Section  string `json:"section"`
	Line     int    `json:"line"`
	Mark     string `json:"mark,omitempty"`
}

// Case is one normative case: what is given, and what an implementation has to
// answer. It is one check, or has a list of them.
type Case struct {
	ID      string   `json:"id"`
	Sources []Source `json:"sources"`
	About   string   `json:"about,omitempty"`
	Edition string   `json:"edition"`
	Note    string   `json:"note,omitempty"`

	// Mended names the slip in what is printed, where the case runs without it.
	Mended string `json:"mended,omitempty"`
	// Contradicted says what is printed where no reading gives it.
	Contradicted *Contradiction `json:"contradicted,omitempty"`

	Given
	Check
	Checks []Check `json:"checks,omitempty"`
}

// Contradiction is a result that is printed and cannot be had.
type Contradiction struct {
	Printed []string `json:"printed"`
	Reason  string   `json:"reason"`
}

// Given is what a case is about: at most one of the first four, and what is
// done with it before the checks.
type Given struct {
	Fixture    string            `json:"fixture,omitempty"`    // a file in fixtures
	History    string            `json:"history,omitempty"`    // a file in operations
	Operations []json.RawMessage `json:"operations,omitempty"` // the same in place
	Messages   json.RawMessage   `json:"messages,omitempty"`   // a transcript
	Stored     bool              `json:"stored,omitempty"`     // keep it in a store and ask that
	Steps      []Step            `json:"steps,omitempty"`      // what is done in the store
	Control    string            `json:"control,omitempty"`    // for refused: a file in fixtures like Fixture, without what is wrong with it

	input   []byte // the file of Fixture or History
	control []byte // the file of Control
}

// Step is one editing command on the stored context.
type Step struct {
	Op    string         `json:"op"` // add or commit
	Args  []string       `json:"args,omitempty"`
	Flags map[string]any `json:"flags,omitempty"`
	Error Codes          `json:"error,omitempty"` // the codes, where the command is to be refused
}

// Check is one question with its answer. Kind says which of the other members
// belong to it; checks.go has the table.
type Check struct {
	Kind      string                     `json:"kind,omitempty"`
	Selector  string                     `json:"selector,omitempty"`
	Selectors []string                   `json:"selectors,omitempty"`
	Edition   string                     `json:"in,omitempty"` // the edition to read the selector in, where it is not that of the case
	Flags     map[string]any             `json:"flags,omitempty"`
	From      string                     `json:"from,omitempty"`
	To        string                     `json:"to,omitempty"`
	At        string                     `json:"at,omitempty"`
	Expect    []string                   `json:"expect,omitempty"`
	Count     *int                       `json:"count,omitempty"`
	Result    json.RawMessage            `json:"result,omitempty"`
	Present   []string                   `json:"present,omitempty"`
	Absent    []string                   `json:"absent,omitempty"`
	Bytes     string                     `json:"bytes,omitempty"`
	Nodes     map[string]json.RawMessage `json:"nodes,omitempty"`
	Hashes    []Hashed                   `json:"hashes,omitempty"`
	Cycles    []int64                    `json:"cycles,omitempty"`
	Messages  json.RawMessage            `json:"rendered,omitempty"`
	Error     Codes                      `json:"error,omitempty"`
}

// Codes are the codes that a refusal may have: one, or several where the
// specification leaves open which of them names the offence.
type Codes []string

// String joins the codes for a reader.
func (c Codes) String() string { return strings.Join(c, " or ") }

// UnmarshalJSON reads a code or a list of codes.
func (c *Codes) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*c = Codes{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(c))
}

// Hashed is a node and its content hash. A node that is a string is the text
// of a file, for what JSON cannot say.
type Hashed struct {
	Node json.RawMessage `json:"node"`
	Hash string          `json:"hash"`
}

// checks are the checks of a case.
func (c *Case) checks() []Check {
	if len(c.Checks) > 0 {
		return c.Checks
	}
	return []Check{c.Check}
}

// Cases returns all cases, ordered by file and place in it. An error means
// that the kit itself is broken.
func Cases() ([]Case, error) {
	var all []Case
	seen := map[string]bool{}
	err := eachFile("cases", func(name string, data []byte) error {
		var file struct {
			Cases []Case `json:"cases"`
		}
		if err := strictly(data, &file); err != nil {
			return err
		}
		for i := range file.Cases {
			c := &file.Cases[i]
			if c.ID == "" || seen[c.ID] {
				return fmt.Errorf("the id %q is empty or not unique", c.ID)
			}
			seen[c.ID] = true
			if err := c.load(); err != nil {
				return fmt.Errorf("case %s: %w", c.ID, err)
			}
		}
		all = append(all, file.Cases...)
		return nil
	})
	return all, err
}

// load reads the file that the case names.
func (c *Case) load() (err error) {
	switch {
	case c.Fixture != "":
		c.input, err = files.ReadFile(path.Join("fixtures", c.Fixture))
		if err == nil && c.Control != "" {
			c.control, err = files.ReadFile(path.Join("fixtures", c.Control))
		}
	case c.History != "":
		c.input, err = files.ReadFile(path.Join("operations", c.History))
	case c.Operations != nil:
		var b bytes.Buffer
		for _, op := range c.Operations {
			if err := json.Compact(&b, op); err != nil {
				return err
			}
			b.WriteByte('\n')
		}
		c.input = b.Bytes()
	case c.Given.Messages != nil:
		c.input = c.Given.Messages
	}
	return err
}

// applied says that the case begins with operations.
func (g *Given) applied() bool { return g.History != "" || g.Operations != nil }

// eachFile calls f for the JSON files of a directory in the order of their
// names.
func eachFile(dir string, f func(name string, data []byte) error) error {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		data, err := files.ReadFile(path.Join(dir, e.Name()))
		if err == nil {
			err = f(e.Name(), data)
		}
		if err != nil {
			return fmt.Errorf("%s/%s: %w", dir, e.Name(), err)
		}
	}
	return nil
}

// strictly decodes JSON and refuses members that are not known.
func strictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
