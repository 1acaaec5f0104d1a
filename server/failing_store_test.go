package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
)

// An answer is whole where a read of the store fails, or an error with the code of the store, or it breaks off.
func TestReadsThatFailAreAnswered(t *testing.T) {
	testrun.OneGoroutine(t) // one request after the other
	for _, path := range []string{"thread?at=@c2", "thread?at=@c2&as=markdown",
		"thread?at=@c2&as=anthropic", "export?form=document&at=@c2", "log", "diff?from=@c1&to=@t0", "nodes/said-2/life"} {
		dbtest.EveryRead(t, func(db *pact.DB) error {
			c, err := pact.Create(t.Context(), db, "chat", nil)
			for turn := 1; turn < 6 && err == nil; turn++ {
				_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
					b.Add("^ah", pact.Spec{ID: fmt.Sprint("said-", turn), Role: "user", Content: fmt.Sprint("hello ", turn)})
					return nil
				}})
			}
			return err
		}, func(db *pact.DB) (_ string, err error) {
			defer func() {
				if panicked := recover(); panicked == http.ErrAbortHandler {
					err = fault.New(fault.Store, "the answer broke off", "")
				} else if panicked != nil {
					panic(panicked)
				}
			}()
			h := server.New(db, server.Options{NoToken: true})
			defer h.Close()
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/contexts/chat/"+path, nil))
			if answer.Code == http.StatusOK {
				return answer.Body.String(), nil
			}
			var said struct{ Code fault.Code }
			if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil {
				return "", err
			}
			return "", fault.New(said.Code, answer.Body.String(), "")
		})
	}
}
