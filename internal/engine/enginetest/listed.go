package enginetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// anewOf says how much of a thread a driver claims that its call sent anew: every third call something.
func anewOf(t *tree.Tree) int64 {
	_, size := t.ThreadSize()
	if t.Cycle()%3 != 0 {
		return 0
	}
	return 1 + t.Cycle()*131%size
}

// compareListed compares what the store lists of a context with what its trees and its log say.
func (d *driver) compareListed(st *engine.State) {
	d.Helper()
	all, err := d.store.List(background)
	must(d.T, err)
	if !slices.Contains(all, st.Info) {
		d.Errorf("the store lists %+v, not %+v", all, st.Info)
	}
	got := st.Listed
	log, err := d.store.Log(background, d.state.Key, st.Revision, st.Revision)
	must(d.T, err)
	if len(log) != 1 || got.ChangedNS != log[0].TimeNS {
		d.Errorf("listed as changed at %d, the log ends with %+v", got.ChangedNS, log)
	}
	size := int64(0)
	if t := d.snapshots[st.Cycle]; t != nil {
		_, size = t.ThreadSize()
	}
	if got.Bytes != size {
		d.Errorf("listed with %d bytes, the thread has %d", got.Bytes, size)
	}
	listed, total := 0, 0
	for _, h := range st.Working.Root().Node().Headers {
		size := len(h.Name) + len(h.Value)
		if len(h.Value) > history.MaxListedAttr || total+size > history.MaxListedAttrs {
			continue
		}
		listed, total = listed+1, total+size
		var value, want any
		must(d.T, json.Unmarshal([]byte(h.Value), &want))
		if json.Unmarshal(got.Attr(h.Name), &value) != nil || !reflect.DeepEqual(value, want) {
			d.Errorf("%s is listed as %s, it is %s", h.Name, got.Attr(h.Name), h.Value)
		}
	}
	if listed == 0 && got.Attrs != "" {
		d.Errorf("%s is listed of a root without attributes", got.Attrs)
	}
	d.compareCuts(st)
	if st.Erasures > 0 { // what an erasure makes of it was just found to be right
		d.state.Listed = got
	}
}

// testListedAttributes gives a root more attributes than a list shows. Four of the long ones with their names
// are just above the bound, three and the short one below it.
func testListedAttributes(t *testing.T, s Suite) {
	d := drive(t, s, "a")
	d.edit(func(x *tree.Editor) {
		for i := range 9 {
			must(t, x.SetRoot(fmt.Sprint("data_", i), strings.Repeat("x", history.MaxListedAttr-len(`""`))))
		}
		must(t, x.SetRoot("data_short", 1))
	})
	d.check()
	info, err := d.store.Find(background, "a")
	must(t, err)
	var listed map[string]any
	must(t, json.Unmarshal([]byte(info.Listed.Attrs), &listed))
	if got := slices.Sorted(maps.Keys(listed)); !slices.Equal(got, []string{"data_0", "data_1", "data_2", "data_short"}) {
		t.Errorf("listed are %v", got)
	}
}

// compareCuts compares the shares that a store lists with those of the calls.
func (d *driver) compareCuts(st *engine.State) {
	d.Helper()
	calls := st.Cycle - st.First + 1
	width := int64(1)
	for calls > history.MaxCuts*width {
		width *= 2
	}
	var want []float64
	for cycle := st.First; cycle <= st.Cycle; cycle++ {
		if (cycle-st.First)%width == 0 {
			want = append(want, 0)
		}
		last := &want[len(want)-1]
		*last = max(*last, d.shares[cycle])
	}
	got := st.Listed.Cuts.Shares(calls)
	if !slices.EqualFunc(got, want, func(a, b float64) bool {
		return math.Abs(a-b) <= 0.001 && (a > 0) == (b > 0)
	}) {
		d.Errorf("of %d calls the store lists as sent anew %v, want %v", calls, got, want)
	}
}
