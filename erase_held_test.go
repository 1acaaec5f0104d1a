package pact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
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
