package transcript_test

import (
	"bytes"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/transcript"
)

// Messages are written whole from a store of which a read fails, or the error is that of the store.
func TestReadsThatFailEndAWriting(t *testing.T) {
	conversations, err := transcript.Read([]byte(`[{"role":"system","content":"be brief"},{"role":"user","content":"hello"},
		{"role":"assistant","content":"good day"},{"role":"user","content":"go on"},{"role":"assistant","content":"yes"}]`))
	must(t, err)
	dbtest.EveryRead(t, func(db *pact.DB) error {
		_, err := transcript.Import(t.Context(), db, "c", conversations[0], nil)
		return err
	}, func(db *pact.DB) (string, error) {
		c, err := pact.Open(t.Context(), db, "c", nil)
		if err != nil {
			return "", err
		}
		var messages bytes.Buffer
		err = transcript.WriteOpenAI(t.Context(), &messages, c.Working())
		return messages.String(), err
	})
}

var must = testrun.Must
