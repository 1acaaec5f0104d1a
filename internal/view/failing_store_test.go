package view

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
)

// A search, a thread for a person, a tree, its blocks and names and a picture are whole where a read of the store fails, or
// the error is that of the store.
func TestReadsThatFailEndAnAnswer(t *testing.T) {
	dbtest.EveryRead(t, func(db *pact.DB) error {
		c, err := pact.Create(t.Context(), db, "w", nil)
		for i := range 12 {
			if err == nil {
				_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
					b.Add("^ah", pact.Spec{Role: "user", Content: fmt.Sprint("word ", i), TTL: new(int64(1 + i%4))})
					b.Add("^sys", pact.Spec{Role: "system", Content: fmt.Sprint("a word of ", i), TTL: new(int64(2 + i%3))})
					return nil
				}})
			}
		}
		return err
	}, func(db *pact.DB) (string, error) {
		c, err := pact.Open(t.Context(), db, "w", nil)
		if err != nil {
			return "", err
		}
		found, err := Grep(t.Context(), c, pact.Cycle(1), "latest", "", regexp.MustCompile("word"), func(int64) {})
		if err != nil {
			return "", err
		}
		text := fmt.Sprint(len(found), " ")
		for _, o := range found {
			text += fmt.Sprintf("%+v ", *o)
		}
		thread, err := Thread(t.Context(), c.Working(), true)
		if err != nil {
			return "", err
		}
		log, err := NewReader(c, Bytes, nil, nil).Log(t.Context())
		if err != nil {
			return "", err
		}
		state := &State{Snapshot: c.Working(), Log: log}
		rows, err := state.Tree(t.Context(), "", 3, 30)
		if err != nil {
			return "", err
		}
		blocks, err := state.Blocks(t.Context(), Filter{Limit: 30})
		if err != nil {
			return "", err
		}
		names, err := state.Names(t.Context())
		if err != nil {
			return "", err
		}
		drawn, err := NewReader(c, Bytes, nil, nil).Draw(t.Context(), pact.Cycle(1), "latest", PictureOptions{Columns: 9, Rows: 30, Unit: Bytes})
		if err != nil {
			return "", err
		}
		shown, err := json.Marshal([]any{rows, blocks, names, drawn})
		return text + string(thread) + string(shown), err
	})
}
