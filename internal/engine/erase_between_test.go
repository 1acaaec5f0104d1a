package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/store"
)

// interposed calls a function before the n-th view or batch, of the caller or of what joins in the
// background.
type interposed struct {
	store.Store
	mu   sync.Mutex
	n    int
	call func()
}

func (m *interposed) next() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n--; m.n == 0 {
		m.call()
	}
}

func (m *interposed) View(ctx context.Context, f func(store.Reader) error) error {
	m.next()
	return m.Store.View(ctx, f)
}

func (m *interposed) Write(ctx context.Context, b *store.Batch) error {
	m.next()
	return m.Store.Write(ctx, b)
}

// TestNoCheckpointIsOfBeforeAnErasure has another process erase a text before each of the steps in which an
// engine commits a turn, joins cycles and makes a checkpoint of the snapshot that it has just published.
// Nothing that is written afterwards has the text.
func TestNoCheckpointIsOfBeforeAnErasure(t *testing.T) {
	const secret = "Jane Doe"
	steps := 0
	for n := 1; ; n++ {
		medium := store.NewMemory()
		between := &interposed{Store: medium}
		e, other := engine.NewHasty(between, store.Packing{}), engine.NewHasty(medium, store.Packing{})
		w := begin(t, e, "one")
		for i := range 7 {
			must(t, w.commit(said(i), said(100+i)))
		}
		must(t, w.commit(secret))
		e.Idle()
		erased := false
		between.n, between.call = n, func() {
			erased = true
			info, err := other.Info(background, w.key)
			must(t, err)
			_, err = other.Erase(background, w.key, engine.Erase{Texts: []string{secret}, Salt: make([]byte, engine.SaltSize),
				Entry: history.Entry{Message: "asked for"},
				Guard: engine.Guard{Cycle: info.Cycle, Revision: info.Revision}})
			must(t, err)
		}
		for i := range 3 {
			if err := w.commit(said(200 + i)); err != nil && fault.CodeOf(err) != fault.Conflict {
				t.Fatal(err)
			}
			e.Idle()
		}
		if !erased {
			break
		}
		steps++
		other.Idle()
		holds(t, medium, secret)
		damage, err := e.Check(background, w.key)
		must(t, err)
		if damage != nil {
			t.Errorf("erased before step %d: %s", n, damage.What)
		}
		must(t, other.Close())
	}
	if steps < 10 {
		t.Errorf("the engine took %d steps", steps)
	}
}

// TestAnErasureReadsWhatIsJoinedMeanwhile has another process join cycles before each step of an erasure: that reads each
// revision once, where it was at one moment, and leaves the text nowhere.
func TestAnErasureReadsWhatIsJoinedMeanwhile(t *testing.T) {
	const secret = "Jane Doe"
	for n := 1; ; n++ {
		medium := store.NewMemory()
		between := &interposed{Store: medium}
		e, other := engine.New(between, store.Packing{}), engine.NewHasty(medium, store.Packing{})
		w := begin(t, e, "one")
		for i := range 9 {
			must(t, w.commit(said(i), secret))
		}
		must(t, w.commit(said(9)))
		joined := false
		between.n, between.call = n, func() {
			joined = true
			must(t, other.SettleAll(background))
		}
		info, err := other.Info(background, w.key)
		must(t, err)
		erased, err := e.Erase(background, w.key, engine.Erase{Texts: []string{secret}, Salt: make([]byte, engine.SaltSize),
			Entry: history.Entry{Message: "asked for"}, Guard: engine.Guard{Cycle: info.Cycle, Revision: info.Revision}})
		must(t, err)
		if !joined {
			if n < 5 {
				t.Errorf("an erasure took %d steps", n)
			}
			return
		}
		if len(erased.IDs) != 9 {
			t.Errorf("joined before step %d: erased were %v", n, erased.IDs)
		}
		must(t, other.SettleAll(background))
		holds(t, medium, secret)
		if damage, err := e.Check(background, w.key); err != nil || damage != nil {
			t.Errorf("joined before step %d: %+v, %v", n, damage, err)
		}
		must(t, e.Close())
	}
}

// TestAForkThatIsMadeMeanwhileIsErasedToo has another process make a fork, and write the text into it, before each step of an
// erasure: what is there before the erasure logs itself is gone from the fork too, and what is shared is sound.
func TestAForkThatIsMadeMeanwhileIsErasedToo(t *testing.T) {
	const secret = "Jane Doe"
	for n, forks := 1, 0; ; n++ {
		medium := store.NewMemory()
		between := &interposed{Store: medium}
		e, other := engine.New(between, store.Packing{}), engine.New(medium, store.Packing{})
		w := begin(t, e, "one")
		must(t, w.commit(said(1), secret))
		info, err := e.Info(background, w.key)
		must(t, err)
		fork, before := writer{T: t, e: other}, false
		between.n, between.call = n, func() {
			made, err := other.Fork(background, w.key, 1, engine.Fork{Name: "fork"})
			must(t, err)
			fork.key = made.Key
			must(t, fork.commit(secret))
			now, err := other.Info(background, w.key)
			must(t, err)
			before = now.Revision == info.Revision
		}
		_, err = e.Erase(background, w.key, engine.Erase{Texts: []string{secret}, Salt: make([]byte, engine.SaltSize),
			Entry: history.Entry{Message: "asked for"}, Guard: engine.Guard{Cycle: info.Cycle, Revision: info.Revision}})
		must(t, err)
		if fork.key == 0 {
			if forks < 3 {
				t.Errorf("an erasure took %d steps before it was logged", forks)
			}
			return
		}
		list, err := threads(engine.New(medium, store.Packing{}), fork.key)
		must(t, err)
		if before {
			if forks++; strings.Contains(fmt.Sprint(list), secret) {
				t.Errorf("forked before step %d: the fork has %q", n, list)
			}
		}
		if damage, err := other.CheckAll(background); err != nil || damage != nil {
			t.Errorf("forked before step %d: %+v, %v", n, damage, err)
		}
	}
}

// holds fails if a value of the first context contains a text, and if it has no checkpoint.
func holds(t *testing.T, medium store.Store, secret string) {
	t.Helper()
	points := 0
	for p, err := range medium.Range(background, store.Span{Space: 1, To: "\xff"}, store.Ascending) {
		must(t, err)
		if p.Name[0] == 'c' {
			points++
		}
		if bytes.Contains(p.Value, []byte(secret)) {
			t.Errorf("the value of %q has the text", p.Name)
		}
	}
	for r, err := range medium.Log(background, store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Ascending) {
		must(t, err)
		if bytes.Contains(append(r.Value, r.Rest...), []byte(secret)) {
			t.Errorf("record %d has the text", r.Number)
		}
	}
	if points == 0 {
		t.Error("there is no checkpoint")
	}
}

// TestErasingWalksFromTheNode erases a node of an early turn and one of a late turn: an erasure goes over
// the snapshots since the node came, and those joined with it.
func TestErasingWalksFromTheNode(t *testing.T) {
	e := engine.NewHasty(store.NewMemory(), store.Packing{})
	w := begin(t, e, "one")
	const turns = 60
	for i := range turns {
		must(t, w.commit(said(i)))
		e.Idle()
	}
	for _, cycle := range []int64{50, 3} {
		var id string
		for snapshot, err := range e.History(background, w.key, cycle, cycle) {
			must(t, err)
			for at := range sure.All(snapshot.All()) {
				if n := at.Node(); n.Cycle == cycle && n.Role == "user" {
					id = n.ID
				}
			}
		}
		info, err := e.Info(background, w.key)
		must(t, err)
		walked := 0
		erased, err := e.Erase(background, w.key, engine.Erase{IDs: []string{id}, Salt: make([]byte, engine.SaltSize),
			Entry: history.Entry{Message: "asked for"},
			Guard: engine.Guard{Cycle: info.Cycle, Revision: info.Revision}, Progress: func(_, all int) { walked = all }})
		must(t, err)
		if since := turns - int(cycle); erased.Versions == 0 || walked < since || walked > since+6 {
			t.Errorf("erasing %q of cycle %d walks %d snapshots and erases %d versions", id, cycle, walked, erased.Versions)
		}
	}
}
