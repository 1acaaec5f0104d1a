package librarytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/transcript"
)

// heldReadings are the ways in which a Snapshot that a program holds gives out contents.
var heldReadings = map[string]func(s *pact.Snapshot) (string, error){
	"Node": func(s *pact.Snapshot) (string, error) {
		n, err := s.Node("rule")
		if err != nil {
			return "", err
		}
		text, err := n.Text(background)
		data, other := n.JSON(background)
		return text + string(data), errors.Join(err, other)
	},
	"Find": func(s *pact.Snapshot) (text string, err error) {
		hits, err := s.Find(background, "[role='user']", nil)
		for _, h := range hits {
			one, failed := h.Node.Text(background)
			text, err = text+one, errors.Join(err, failed)
		}
		return text, err
	},
	"Select": func(s *pact.Snapshot) (string, error) {
		ids, err := s.Select(background, "[content~'Jane']", nil)
		return strings.Repeat(secret, len(ids)), err
	},
	"Explain": func(s *pact.Snapshot) (string, error) {
		x, err := s.Explain(background, "[content~'Jane']", nil)
		if err != nil {
			return "", err
		}
		return strings.Repeat(secret, x.Returned), nil
	},
	"Thread": func(s *pact.Snapshot) (string, error) {
		text, err := s.Thread(background)
		return string(text), err
	},
	"WriteThread": func(s *pact.Snapshot) (string, error) {
		var b bytes.Buffer
		err := s.WriteThread(background, &b)
		return b.String(), err
	},
	"Export": func(s *pact.Snapshot) (string, error) {
		var b bytes.Buffer
		err := s.Export(background, &b)
		return b.String(), err
	},
	"Diff": func(s *pact.Snapshot) (string, error) {
		d, err := pact.Diff(background, s, s, &pact.DiffOptions{Select: "[content~'Jane']"})
		text, failed := json.Marshal(d)
		return secret + string(text), errors.Join(err, failed)
	},
	"OpenAI": func(s *pact.Snapshot) (string, error) {
		text, err := transcript.OpenAI(background, s)
		return string(text), err
	},
	"record.Thread": func(s *pact.Snapshot) (string, error) {
		text, _, err := record.Thread(background, s, "anthropic")
		return string(text), err
	},
}

// A Snapshot that somebody read, with everything of it in his memory, gives out nothing once another handle or
// process has erased, and the others of its context neither.
func TestAttackHeldSnapshotsGiveOutNothingErased(t *testing.T) {
	testrun.Door(t, "an erased text, asked of snapshots that others hold")
	for pair, open := range handles {
		for name, read := range heldReadings {
			t.Run(pair+"/"+name, func(t *testing.T) {
				on := open(t)
				c := create(t, on[0], pact.CreateOptions{Edition: selector.Canonical})
				_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
					b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "be kind to " + secret})
					return say("I am " + secret)(b)
				}})
				must(t, err)
				_, err = c.Commit(background, &pact.CommitOptions{Edit: say("so " + secret + " goes on")})
				must(t, err)
				reader, err := pact.Open(background, on[1], "c", &pact.OpenOptions{Clock: steps()})
				must(t, err)
				held := []*pact.Snapshot{reader.Working()}
				for _, at := range []pact.Address{pact.Latest(), pact.Cycle(1)} {
					s, err := reader.At(background, at)
					must(t, err)
					held = append(held, s)
				}
				for i, s := range held {
					if text, err := read(s); err != nil || !strings.Contains(text, secret) {
						t.Fatalf("%d before the erasure: %q, %v", i, text, err)
					}
				}
				_, err = c.Erase(background, pact.Erasure{Texts: []string{secret}, Reason: "asked for", Random: chance()})
				must(t, err)
				for i, s := range held {
					if text, err := read(s); !errors.Is(err, fault.Conflict) || strings.Contains(text, "I am Jane") {
						t.Errorf("%d after the erasure: %q, %v", i, text, err)
					}
				}
				now, err := reader.At(background, pact.Latest())
				must(t, err)
				if text, err := now.Thread(background); err != nil || strings.Contains(string(text), secret) {
					t.Errorf("read again: %s, %v", text, err)
				}
			})
		}
	}
}

// TestEraseWritesTheReceiptFirst holds that the receipt is handed over once, before
// anything is written, and that nothing is erased where it cannot be.
func TestEraseWritesTheReceiptFirst(t *testing.T) {
	for name, s := range stores(t) {
		c := create(t, s)
		must(t, c.Edit(background, say("I am Jane Doe"), nil))
		_, err := c.Commit(background, nil)
		must(t, err)
		revision := c.Revision()

		var given []string
		lost := errors.New("nowhere to put it")
		e := pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: chance(), DryRun: true,
			Receipt: func(receipt string) error {
				given = append(given, receipt)
				if name == "sqlite" { // the store in memory is locked meanwhile
					info, err := s.Find(background, "c")
					if err != nil || info.Revision != revision {
						t.Errorf("the receipt comes at revision %d, %v", info.Revision, err)
					}
				}
				return lost
			}}
		_, err = c.Erase(background, e)
		must(t, err)
		if len(given) > 0 {
			t.Errorf("%s: a dry run gives the receipts %q", name, given)
		}
		e.DryRun = false
		if _, err := c.Erase(background, e); !errors.Is(err, lost) {
			t.Errorf("%s: a lost receipt: %v", name, err)
		}
		if list := verdicts(t, s); c.Revision() != revision || len(list) > 0 {
			t.Errorf("%s: an erasure without a receipt left revision %d, and verify says %q", name, c.Revision(), list)
		}
		for _, random := range []io.Reader{nil, bytes.NewReader(make([]byte, 31))} { // no salt, no erasure
			e.Random = random
			if _, err := c.Erase(background, e); fault.CodeOf(err) == "" || c.Revision() != revision {
				t.Errorf("%s: without a salt: %v", name, err)
			}
		}
		lost, given, e.Random = nil, nil, chance()
		of, err := c.Erase(background, e)
		must(t, err)
		if !slices.Equal(given, []string{of.Receipt}) {
			t.Errorf("%s: the receipts are %q, and the answer has %q", name, given, of.Receipt)
		}
		e.Random = chance()
		if of, err = c.Erase(background, e); err != nil || of.Receipt != "" || len(given) != 1 {
			t.Errorf("%s: nothing was left, and the receipts are %q, %v", name, given, err)
		}
	}
}

// TestErasuresLeaveNothingInTheFile makes random families of contexts in a file, with undone lines, and
// erases in between: no text of an erased node is in the bytes of the file, and verify finds no damage.
// What snapshots hold afterwards, EraseRandom of the contract of stores compares with a model.
func TestErasuresLeaveNothingInTheFile(t *testing.T) {
	testrun.OneGoroutine(t)
	for seed := range testrun.Size[uint64](t, 2, 8, 80) {
		f := &genFamily{T: t, Rand: rand.New(rand.NewPCG(seed, 23)), path: filepath.Join(t.TempDir(), "pact.db"),
			secrets: map[string]string{}}
		s, err := dbtest.Open(sqlite.Open(background, f.path))
		must(t, err)
		f.store, f.lines = s, []*pact.Context{create(t, s)}
		for range 60 {
			f.step()
		}
		if f.erasures == 0 {
			t.Errorf("seed %d: nothing was erased", seed)
		}
		must(t, s.Close())
	}
}

// erase takes some nodes out and looks for their texts in the file.
func (f *genFamily) erase(c *pact.Context) {
	f.Helper()
	var all []string
	first, last := c.Cycles()
	for entry := range sure.All(tree.Of(c.Working()).All()) {
		n := entry.Node()
		all = append(all, n.ID)
	}
	if last >= first {
		for s, err := range c.History(background, pact.Cycle(first), pact.Latest()) {
			must(f.T, err)
			for entry := range sure.All(tree.Of(s).All()) {
				n := entry.Node()
				all = append(all, n.ID)
			}
		}
	}
	var ids []string
	for range 1 + f.IntN(2) {
		if id := all[f.IntN(len(all))]; !slices.Contains([]string{"root", "sys", "seq"}, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	plan, err := c.Erase(background, pact.Erasure{IDs: ids, DryRun: true})
	must(f.T, err)
	of, err := c.Erase(background, erasure(ids...))
	must(f.T, err)
	if of.Remains != "" || !slices.Equal(of.IDs, plan.IDs) {
		f.Fatalf("erased %+v, planned %+v", of, plan)
	}
	for _, line := range f.lines {
		must(f.T, line.Refresh(background))
	}
	if list := verdicts(f.T, f.store); len(list) > 0 {
		f.Fatalf("verify says %q", list)
	}
	var data []byte
	for _, suffix := range []string{"", "-wal", "-shm"} {
		part, err := os.ReadFile(f.path + suffix)
		must(f.T, err)
		data = append(data, part...)
	}
	for text, id := range f.secrets {
		if slices.Contains(of.IDs, id) {
			delete(f.secrets, text)
			if bytes.Contains(data, []byte(text)) {
				f.Fatalf("%s is still in the file", text)
			}
		}
	}
	f.erasures++
}
