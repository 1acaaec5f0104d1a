package view

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
)

// A search and a thread for a person are whole where a read of the store fails, or the error is that of the store.
func TestReadsThatFailEndASearch(t *testing.T) {
	dbtest.EveryRead(t, func(db *pact.DB) error {
		grepContext(t, rand.New(rand.NewPCG(3, 3)), db)
		return nil
	}, func(db *pact.DB) (string, error) {
		c, err := pact.Open(t.Context(), db, "w", nil)
		if err != nil {
			return "", err
		}
		found, err := Grep(t.Context(), c, pact.Cycle(1), pact.Latest(), "", regexp.MustCompile("word"), func(int64) {})
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
