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

// Version is that of the cases: who claims a profile names it. Cases that change raise it, which a test sees to.
const Version = "1.4"

//go:embed cases/*.json fixtures operations checklists/*.json
var files embed.FS

// Source is a place in the specification. Mark is a piece of the line there; if it
// is empty, the line has the selector of the case.
type Source struct {
	Document string `json:"document"`       // the number its file name begins with
	Section  string `json:"section"`        // number or title of the section
	Line     int    `json:"line"`           // of the document, from 1
	Mark     string `json:"mark,omitempty"` // a piece of the line, "" for the selector of the case
}

// Case is one normative case: its input, and the answers that an implementation
// must give. It has one check or a list of checks.
type Case struct {
	ID      string   `json:"id"`              // unique in the kit
	Area    string   `json:"-"`               // the file in cases that has the case, without its ending
	Sources []Source `json:"sources"`         // where the specification prints it
	About   string   `json:"about,omitempty"` // what it shows, "" if the selector says it
	Edition string   `json:"edition"`         // edition of the selector language to run the case in
	Note    string   `json:"note,omitempty"`  // how the authors of the kit read the printed text

	// Mended names the slip in the printed text that the case corrects.
	Mended string `json:"mended,omitempty"`
	// Contradicted has the printed result if no reading of the rules gives it.
	Contradicted *Contradiction `json:"contradicted,omitempty"`

	Given
	Check
	Checks []Check `json:"checks,omitempty"` // instead of Check, if there are several

	whole []Check // the checks as they were read: what is asked before them does not change if some are left out
}

// Contradiction is a result that the specification prints but its rules cannot give.
type Contradiction struct {
	Printed []string `json:"printed"` // ids that the specification prints as the result
	Reason  string   `json:"reason"`  // why no reading gives them
}

// Given is the input of a case: at most one of the first four members, and what
// the runner does with it before the checks.
type Given struct {
	Fixture    string            `json:"fixture,omitempty"`    // a file in fixtures
	History    string            `json:"history,omitempty"`    // a file in operations
	Operations []json.RawMessage `json:"operations,omitempty"` // the operations themselves
	Messages   json.RawMessage   `json:"messages,omitempty"`   // a transcript
	Stored     bool              `json:"stored,omitempty"`     // put the input into a store and ask the store
	Steps      []Step            `json:"steps,omitempty"`      // commands to run on the store first
	// for refused: a file in fixtures like Fixture, but without its fault
	Control string `json:"control,omitempty"`

	input   []byte // the file of Fixture or History
	control []byte // the file of Control
}

// Step is one editing command on the stored context.
type Step struct {
	Op    string         `json:"op"`              // add or commit
	Args  []string       `json:"args,omitempty"`  // its arguments
	Flags map[string]any `json:"flags,omitempty"` // its flags, by name without the dashes
	Error Codes          `json:"error,omitempty"` // the codes, if the command must be refused
}

// Check is one question with its answer. Kind says which of the other members
// belong to it; checks.go has the table.
type Check struct {
	// Origin of the case has all of its checks, but for those that have one of their own.
	Origin    Origin   `json:"origin,omitempty"`
	Kind      string   `json:"kind,omitempty"`      // a key of the table kinds in checks.go
	Selector  string   `json:"selector,omitempty"`  // to select with, or to print
	Selectors []string `json:"selectors,omitempty"` // several, all with the same answer
	// the edition to read the selector in, if it is not that of the case
	Edition string          `json:"in,omitempty"`
	Flags   map[string]any  `json:"flags,omitempty"`   // more flags of the command, by name without the dashes
	From    string          `json:"from,omitempty"`    // address of a comparison
	To      string          `json:"to,omitempty"`      // address of a comparison
	At      string          `json:"at,omitempty"`      // address of the snapshot to ask
	Expect  []string        `json:"expect,omitempty"`  // the ids, in order
	Count   *int            `json:"count,omitempty"`   // how many ids
	Result  json.RawMessage `json:"result,omitempty"`  // the whole answer as JSON
	Present []string        `json:"present,omitempty"` // paths that the answer must have
	Absent  []string        `json:"absent,omitempty"`  // paths that the answer must not have
	Bytes   string          `json:"bytes,omitempty"`   // the exact output
	// by id, headers that a node must have; null if there must be no such node
	Nodes    map[string]json.RawMessage `json:"nodes,omitempty"`
	Hashes   []Hashed                   `json:"hashes,omitempty"`   // nodes with their content hashes
	Cycles   []int64                    `json:"cycles,omitempty"`   // of the snapshots, in order
	Messages json.RawMessage            `json:"rendered,omitempty"` // the rendered transcript
	Error    Codes                      `json:"error,omitempty"`    // the codes, if the command must be refused
}

// Codes are the codes that a refusal may have: one, or several if the
// specification leaves open which of them applies.
type Codes []string

// String joins the codes for a reader.
func (c Codes) String() string { return strings.Join(c, " or ") }

// UnmarshalJSON reads a code or a list of codes. Its errors are those of
// encoding/json.
func (c *Codes) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*c = Codes{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(c))
}

// Hashed is a node and its content hash. If Node is a string, it is the text of a
// file, because some files are not valid JSON.
type Hashed struct {
	Node json.RawMessage `json:"node"` // the node as JSON, or a string with its text
	Hash string          `json:"hash"` // SHA-256 in hexadecimal
}

// checks returns the checks of a case.
func (c *Case) checks() []Check {
	if len(c.Checks) > 0 {
		return c.Checks
	}
	return []Check{c.Check}
}

// Cases returns all cases, ordered by file and by place in the file. An error
// means that the kit itself is broken.
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
			seen[c.ID], c.Area = true, strings.TrimSuffix(name, ".json")
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
	c.whole = c.checks()
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

// applied reports whether the case begins with operations.
func (g *Given) applied() bool { return g.History != "" || g.Operations != nil }

// eachFile calls f for the JSON files of a directory, ordered by name.
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

// strictly decodes JSON and refuses unknown members.
func strictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
