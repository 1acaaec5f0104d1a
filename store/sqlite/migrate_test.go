package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// older opens a file that an older version of the schema was used for.
func older(t *testing.T, version int) (s store.Complete, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pact.db")
	ofVersion(t, version, path)
	return open(t, path), path
}

// ofVersion makes a file as an older version of the schema left it.
func ofVersion(t *testing.T, version int, path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("v%d.sql", version)))
	must(t, err)
	raw(t, path, string(text), "PRAGMA application_id = 0x50414354", fmt.Sprint("PRAGMA user_version = ", version)).Close()
}

// TestStoreOfVersion1 opens a file that version 1 of the schema was used for: three
// commits with drafts on top, and an empty context. The digests are those that
// the program of that time printed.
func TestStoreOfVersion1(t *testing.T) {
	s, path := older(t, 1)
	info, err := s.Find(t.Context(), "chat")
	must(t, err)
	w := &turns{store: s}
	must(t, w.load(t.Context(), info.Key))
	want := map[int64]string{
		1: "bf25e2e5c9e5525849685382b38a0fa6da2926f07efbe05dd6b6d987b2537d81",
		2: "e91b04d766d321977af1a40b23b45c218da831bc860ca779f3174e6e4e74f150",
		3: "303fcd3558e55f97f33b8302aabe26fd0a9dc4bf7dfbb2b6caed487fb6ad96bc",
	}
	history, err := store.Collect(s.History(t.Context(), info.Key, 1, 3))
	must(t, err)
	for _, snapshot := range history {
		if got := snapshot.Digest().String(); got != want[snapshot.Cycle()] {
			t.Errorf("cycle %d has the digest %s", snapshot.Cycle(), got)
		}
	}
	const drafts = "09f774e08a37269c7674788b0bf87a99574dedceca7f960b70139f25abddcf29"
	if got := w.state.Working.Digest().String(); got != drafts {
		t.Errorf("the working state has the digest %s", got)
	}
	log, err := s.Log(t.Context(), info.Key, 1, 99)
	must(t, err)
	if len(log) != 11 || log[3].Message != "first question" || log[3].Request != "r1" || log[3].Digest != "" {
		t.Errorf("the log has %d entries, %+v", len(log), log[3])
	}
	if e, err := s.Request(t.Context(), info.Key, "r1"); err != nil || e == nil || e.Revision != 4 {
		t.Errorf("the request is %+v, %v", e, err)
	}

	// It goes on, and what is written now is proven.
	w.next(t, "written by version 2")
	log, err = s.Log(t.Context(), info.Key, 12, 12)
	must(t, err)
	if len(log) != 1 || log[0].Digest != w.state.Head.Digest().String() {
		t.Errorf("logged %+v", log)
	}
	for _, cycle := range []int64{2, 4} {
		f, err := s.Fork(t.Context(), info.Key, cycle, store.Fork{Name: "fork of " + string(rune('0'+cycle))})
		must(t, err)
		forked := &turns{store: s}
		must(t, forked.load(t.Context(), f.Key))
		if want[4] = w.state.Head.Digest().String(); forked.state.Head.Digest().String() != want[cycle] {
			t.Errorf("the fork at %d has the digest %s", cycle, forked.state.Head.Digest())
		}
		forked.next(t, "a turn of the fork")
		if damage, err := s.Check(t.Context(), f.Key); err != nil || damage != nil {
			t.Errorf("the fork at %d: %+v, %v", cycle, damage, err)
		}
	}
	if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}

	// A row without proof passes where version 1 can have written it, and
	// nowhere else: cycle 4 had drafts of version 1.
	w.next(t, "a second one")
	for _, cycle := range []int64{3, 4, 5} {
		raw(t, path, fmt.Sprintf("UPDATE node_version SET proof = NULL WHERE branch = %d AND birth = %d", info.Key, cycle))
		if damage, err := s.Check(t.Context(), info.Key); err != nil || (damage != nil) != (cycle == 5) {
			t.Errorf("cycle %d without proofs: %+v, %v", cycle, damage, err)
		}
	}
	empty, err := s.Find(t.Context(), "empty")
	must(t, err)
	must(t, w.load(t.Context(), empty.Key))
	w.next(t, "the first turn")
	if w.state.Edition != "v0.1" || w.state.Cycle != 1 {
		t.Errorf("the empty context is %+v", w.state.Info)
	}
	must(t, s.Delete(t.Context(), info.Key))
	sound(t, path)
}

// TestStoreOfVersion2 opens a file that version 2 of the schema was used for: three
// commits that were sent, with a draft on top, and a fork of the second with a
// commit of its own. The digests are those that the program of that time printed.
func TestStoreOfVersion2(t *testing.T) {
	s, path := older(t, 2)
	for name, latest := range map[string]string{
		"chat": "4a8e489fc71380788576209bdbadcdeab7aaf2ee61d4ea87ea8243945d50b493",
		"fork": "23b6ca67dbf6be8411f84f8a2b201094c02f62378fa43f217e6e18a2ddb7d49c",
	} {
		info, err := s.Find(t.Context(), name)
		must(t, err)
		w := &turns{store: s}
		must(t, w.load(t.Context(), info.Key))
		if got := w.state.Head.Digest().String(); got != latest {
			t.Errorf("%s ends with the digest %s", name, got)
		}
		log, err := s.Log(t.Context(), info.Key, 1, info.Revision)
		must(t, err)
		if len(log) != int(info.Revision) || log[2].Sent == "" {
			t.Errorf("the log of %s has %d entries, %+v", name, len(log), log[2])
		}
		if list, err := s.Attempts(t.Context(), info.Key, 1, 9); err != nil || len(list) != 0 {
			t.Errorf("%s has the attempts %v, %v", name, list, err)
		}

		// It goes on, with attempts.
		if a := w.attempt(t); a.ID != store.AttemptID(4, 1, info.Fork) {
			t.Errorf("the attempt of %s is %s", name, a.ID)
		}
		w.next(t, "written by version 3")
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("%s: %+v, %v", name, damage, err)
		}
	}
	sound(t, path)
}

// TestStoreOfVersion4 opens a file that version 4 of the schema was used for: a context
// with an attempt and an erasure, a deleted fork of it, and a fork of that. The
// digests are those that the program of that time printed. The rows of contexts
// prove themselves from then on.
func TestStoreOfVersion4(t *testing.T) {
	s, path := older(t, 4)
	for name, latest := range map[string]string{
		"chat": "1115dc6ac79f35d459bd0dd361b297925b78d97b625f805ee0784a78c271894b",
		"late": "d07e1c9e8e4da9735002db05913149bb454a60f9dcdd9b6d62b44626c5a49b9d",
	} {
		info, err := s.Find(t.Context(), name)
		must(t, err)
		w := &turns{store: s}
		must(t, w.load(t.Context(), info.Key))
		if got := w.state.Head.Digest().String(); got != latest {
			t.Errorf("%s ends with the digest %s", name, got)
		}
		if list, err := s.Attempts(t.Context(), info.Key, 1, 9); err != nil || len(list) != 1 {
			t.Errorf("%s has the attempts %v, %v", name, list, err)
		}
		w.next(t, "written by version 5")
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("%s: %+v, %v", name, damage, err)
		}
	}
	db := raw(t, path, "UPDATE context SET erasures = 2 WHERE name = 'chat'")
	if _, err := s.Find(t.Context(), "chat"); !isStore(err) {
		t.Errorf("a row that was changed since: %v", err)
	}
	db.Close()
	sound(t, path)
}

// TestStoreOfVersion5 opens a file that version 5 of the schema was used for: a context
// whose second commit left a group empty and kept it, which only its report says,
// with a draft on top, and a fork of it. The digests are those that the program of
// that time printed.
func TestStoreOfVersion5(t *testing.T) {
	s, path := older(t, 5)
	for name, working := range map[string]string{
		"chat": "8e0fb6646911632e5d4f0de2983a545f0250480c29dbad35826a42bbb8898933",
		"fork": "e50d2fe59420c56954546ddb5af82c0d9406828ad4dc5961802a06c03269cdb1",
	} {
		info, err := s.Find(t.Context(), name)
		must(t, err)
		w := &turns{store: s}
		must(t, w.load(t.Context(), info.Key))
		if got := w.state.Working.Digest().String(); got != working {
			t.Errorf("the working state of %s has the digest %s", name, got)
		}
		if !slices.Equal(w.state.Idle, []string{"group"}) {
			t.Errorf("%s says that the last commit left the groups %q", name, w.state.Idle)
		}
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("%s: %+v, %v", name, damage, err)
		}
		w.next(t, "written by version 6")
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("%s: %+v, %v", name, damage, err)
		}
	}
	// What the migration wrote is held against the report, what is written since
	// is covered by the link.
	for _, row := range []int64{3, 4, 6} {
		for _, value := range []string{"NULL", "'[]'", `'["other"]'`} {
			db := raw(t, path)
			var was any
			must(t, db.QueryRow("SELECT idle FROM log WHERE branch = 1 AND revision = ?", row).Scan(&was))
			if was == nil && value == "NULL" || was == "[]" && value == "'[]'" {
				continue
			}
			raw(t, path, fmt.Sprintf("UPDATE log SET idle = %s WHERE branch = 1 AND revision = %d", value, row))
			if damage, err := s.Check(t.Context(), 1); err != nil || damage == nil {
				t.Errorf("idle = %s in revision %d: %+v, %v", value, row, damage, err)
			}
			_, err := db.Exec("UPDATE log SET idle = ? WHERE branch = 1 AND revision = ?", was, row)
			must(t, err)
			db.Close()
		}
	}
	if damage, err := s.Check(t.Context(), 1); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	sound(t, path)
}

// TestStoreOfVersion6 opens a file that version 6 of the schema was used for: six
// commits, in which blocks expire and one changes, with a draft on top, and a fork of
// the third. The digests are those that the program of that time printed. All of it is
// packed then, and is the same, also for who forks it in the middle of a page.
func TestStoreOfVersion6(t *testing.T) {
	want := []string{
		"1ed245008d648d494d7e6c9c6c482b4c5d799e1641679eee01d65971a59fa9aa",
		"f45298277baf7abe2b116e414d6eaf968b11c4cc13709dfaa4cc9f34d8c2a280",
		"d30ba45820b840ccf913b39aa75627e6dd9938a54f76f34e6640472492c18032",
		"1aab8153c90f9770010692f73ef9688f224e1142983a7bb82c5539cf6cc6d10f",
		"edd2fb23723522399e7d8cca44fd8b9e77f6348d31258221a96d1aad5f754852",
		"ed193c16b8ed238e755d8c8e99c45aee6881a900dbdbc025f14cdd868053f55f",
	}
	s, path := older(t, 6)
	same := func(name string, last int64) store.Info {
		t.Helper()
		info, err := s.Find(t.Context(), name)
		must(t, err)
		history, err := store.Collect(s.History(t.Context(), info.Key, 1, last))
		must(t, err)
		for i, snapshot := range history {
			if got := snapshot.Digest().String(); got != want[i] {
				t.Errorf("cycle %d of %s has the digest %s", i+1, name, got)
			}
		}
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("%s: %+v, %v", name, damage, err)
		}
		return info
	}
	same("chat", 6)
	same("fork", 3)
	if n := pagesIn(t, path); n != 0 {
		t.Errorf("opening it packed %d pages", n)
	}
	must(t, s.(*sqlite.Store).PackAll(t.Context()))
	if n := pagesIn(t, path); n != 1 {
		t.Errorf("packing made %d pages", n)
	}
	chat := same("chat", 6)
	same("fork", 3)
	for _, id := range []string{"prompt", "block:2-0"} {
		if has, err := s.Has(t.Context(), chat.Key, id); err != nil || !has {
			t.Errorf("%s: %v, %v", id, has, err)
		}
	}
	_, err := s.Fork(t.Context(), chat.Key, 4, store.Fork{Name: "another"})
	must(t, err)
	same("another", 4)
	w := &turns{store: s}
	must(t, w.load(t.Context(), chat.Key))
	w.next(t, "written by version 7")
	same("chat", 6)
	sound(t, path)
}
