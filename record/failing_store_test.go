package record_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
)

// A request is written whole from a store of which a read fails, and its tail told, or the error is that of the store.
func TestReadsThatFailEndARequest(t *testing.T) {
	dbtest.EveryRead(t, func(db *pact.DB) error {
		c, err := pact.Create(t.Context(), db, "chat", nil)
		if err != nil {
			return err
		}
		if _, err := record.AddRequest(t.Context(), c, "openai", []byte(providertest.Bodies["openai"]), nil); err != nil {
			return err
		}
		_, err = c.Commit(t.Context(), nil)
		return err
	}, func(db *pact.DB) (string, error) {
		c, err := pact.Open(t.Context(), db, "chat", nil)
		if err != nil {
			return "", err
		}
		body, err := record.NewRequest(t.Context(), c.Working(), "openai", json.RawMessage(`{"model":"m"}`), false)
		if err != nil {
			return "", err
		}
		tail, err := record.TailOf(t.Context(), c)
		return fmt.Sprintf("%s %+v", body, tail), err
	})
}
