package transcript

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
)

// FuzzRead: no input makes Read or Import panic, and whatever is imported
// renders back to equal JSON values, state by state.
func FuzzRead(f *testing.F) {
	examples, err := filepath.Glob("../examples/conversations/*")
	must(f, err)
	for _, path := range examples {
		f.Add(load(f, path))
	}
	for seed := range uint64(20) {
		o := genOdd{rand.New(rand.NewPCG(seed, 3))}
		f.Add([]byte(o.file(o.messages(5))))
		f.Add([]byte(o.run(3)))
	}
	f.Add([]byte(`[{"traj":[{"role":"user"},{"role":"assistant"}],"task_id":1},{"traj":[]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Read(data)
		if err != nil {
			return
		}
		for i, c := range list {
			made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "fuzz", c, nil)
			if err != nil {
				continue
			}
			compareConversation(t, c.Shape()+" "+c.Name, made, c)
			if i == 20 {
				break
			}
		}
	})
}
