package calllog

import (
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/provider"
)

// FuzzRead gives Read files of any kind: it ends in a typed error or in a log
// whose requests the APIs' readers take.
func FuzzRead(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Add([]byte(`[{"id":"a","mapping":{"x":{"message":null,"parent":"y"},"y":{"message":null,"parent":"x"}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := readWhole(data)
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		if len(log.Sessions) == 0 {
			t.Fatal("a log without a session")
		}
		for _, s := range log.Sessions {
			ids := map[string]bool{}
			for i := range s.Calls {
				c := &s.Calls[i]
				if ids[c.ID] || c.ID == "" {
					t.Fatalf("the id %q is not its own", c.ID)
				}
				ids[c.ID] = true
				if c.API == "" || c.Path == "" {
					t.Fatalf("call %s has the API %q and the path %q", c.ID, c.API, c.Path)
				}
				if c.Body == nil {
					if _, ok := provider.ReadRequest(c.API, raw(c.Request.Value()).value()); !ok {
						t.Fatalf("call %s: its request is no object", c.ID)
					}
				}
				answerOf(c)
			}
		}
	})
}
