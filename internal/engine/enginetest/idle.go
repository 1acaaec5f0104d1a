package enginetest

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// leaveEmpty makes a history of three cycles. The second leaves a removable group empty, which
// a reference keeps.
func leaveEmpty(t *testing.T, s Suite) *driver {
	t.Helper()
	d := drive(t, s, "empty groups")
	one := int64(1)
	d.commitWith(func(x *tree.Editor) {
		add(t, x, "^ah", tree.Spec{ID: "group", NodeType: "cont", Offset: 1, Removable: true})
		add(t, x, "group", tree.Spec{ID: "last", TTL: &one})
		add(t, x, "^sys", tree.Spec{ID: "holder", Refs: []string{"group"}})
	}, commit.Input{})
	d.wantIdle()
	d.commit()
	d.wantIdle("group")
	return d
}

func (d *driver) wantIdle(ids ...string) {
	d.Helper()
	if !slices.Equal(d.state.Idle, ids) {
		d.Errorf("cycle %d leaves the empty groups %q, want %q", d.state.Cycle, d.state.Idle, ids)
	}
	d.reload()
	if !slices.Equal(d.state.Idle, ids) {
		d.Errorf("read again, cycle %d leaves the empty groups %q, want %q", d.state.Cycle, d.state.Idle, ids)
	}
}

func testEmptyGroups(t *testing.T, s Suite) {
	d := leaveEmpty(t, s)
	d.check()
	d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("a draft")) })
	d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("another")) })
	d.wantIdle("group") // later edits change nothing about the last commit
	d.check()
	for cycle, want := range [][]string{nil, {"group"}} {
		at := slices.IndexFunc(d.log(), func(e history.Entry) bool {
			return e.Kind == history.Commit && e.Cycle == int64(cycle)+
				1
		})
		if got := d.log()[at].Idle; !slices.Equal(got, want) {
			t.Errorf("the log says of cycle %d that it leaves %q, want %q", cycle+1, got, want)
		}
	}
	d.commitWith(nil, commit.Input{Idle: d.state.Idle})
	d.wantIdle("group")
	d.commitWith(func(x *tree.Editor) { must(t, x.Remove("holder")) }, commit.Input{Idle: d.state.Idle})
	d.wantIdle()
	d.check()
	if sure.Get(d.state.Head.Has("group")) {
		t.Error("the empty group is there still")
	}
}

func testEmptyGroupsOfForks(t *testing.T, s Suite) {
	d := leaveEmpty(t, s)
	d.commit()
	d.wantIdle()
	with, without := d.fork(2, "with"), d.fork(1, "without")
	with.wantIdle("group")
	without.wantIdle()
	again := with.fork(2, "again")
	again.wantIdle("group")
	with.commit()
	with.wantIdle()
	checkAll(d, with, without, again)
}

// testEmptyGroupsErased blanks the entry of the commit with its whole report: what the next
// commit needs is not in the report.
func testEmptyGroupsErased(t *testing.T, s Suite) {
	d := leaveEmpty(t, s)
	log := d.log()
	e := d.erasing()
	e.IDs, e.Revisions = nil, []int64{log[len(log)-1].Revision}
	done, err := d.store.Erase(background, d.state.Key, e)
	must(t, err)
	if done.Entries != 1 {
		t.Errorf("erased %+v", done)
	}
	blanked := d.log()[len(log)-1]
	written := func(text string) bool { return text != "" && text != history.Blank }
	if string(blanked.Report) != history.BlankReport || !slices.Equal(blanked.Idle, []string{"group"}) ||
		written(blanked.Actor) || written(blanked.Message) || blanked.Request != "" {
		t.Errorf("left %+v with the report %s", blanked, blanked.Report)
	}
	d.reload()
	d.wantIdle("group")
	d.check()
}

// log reads the whole log.
func (d *driver) log() []history.Entry {
	d.Helper()
	list, err := d.store.Log(background, d.state.Key, 1, d.state.Revision)
	must(d.T, err)
	return list
}
