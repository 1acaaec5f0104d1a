package view

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
)

// A search and a thread for a person are whole where a read of the store fails, or the error is that of the store.
func TestReadsThatFailEndASearch(t *testing.T) {
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
		return text + string(thread), err
	})
}
