package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact/store"
)

// TestEveryOldVersionHasAFile keeps a file of each version of the schema that was ever in use.
func TestEveryOldVersionHasAFile(t *testing.T) {
	steps, err := os.ReadDir("schema")
	must(t, err)
	for version := 1; version < len(steps); version++ {
		if _, err := os.Stat(filepath.Join("testdata", fmt.Sprintf("v%d.sql", version))); err != nil {
			t.Error(err)
		}
	}
}

// TestStoresOfVersions3And7To9 opens files that these versions were used for: a conversation of
// six commits with a draft on top, and a fork of the second commit with a commit of its own. Of
// versions 7 to 9, whose rows are in pages, a text of the fork was erased. The digests are those
// that the programs of that time printed.
func TestStoresOfVersions3And7To9(t *testing.T) {
	for _, c := range []struct {
		version         int
		working, forked string // of the draft, and of the commit of the fork
	}{
		{3, "6427663f9bf1153a020fd2d449863b662efe481e9c8748942d6706b229bd14cb",
			"14b948d993798d1f5d8d7f8b9e12c1afa9d93d606cd0efcf717170d858b79f0e"},
		{7, "124404022cb9656a21ac9cb388fb1912e2d7f7ca2f942ced75337a3ad170ba6e",
			"36bb1e564c7a19940bb658ac5c81a14e58e142d9789453f9edef62907b16ae76"},
		{8, "4226dd18a07e676efbacdb4d1dbdc6a8e32e4f2fe50921affe7bd6f6fce250a0",
			"498254a6e2d3edf54a5684d40b6adcc607b9bb8e7332c1f2a295b3156875aa1c"},
		{9, "4226dd18a07e676efbacdb4d1dbdc6a8e32e4f2fe50921affe7bd6f6fce250a0",
			"498254a6e2d3edf54a5684d40b6adcc607b9bb8e7332c1f2a295b3156875aa1c"},
	} {
		t.Run(fmt.Sprint(c.version), func(t *testing.T) {
			s, path := older(t, c.version)
			shared := []string{"a391ee4a7021f958be4927824925a54a66ea8a9f741c843c07bda76c2cd0690e",
				"63271ab8819cc3d5d58b383778bf7e306fe20920f0886273d94b2ebb5ac91d6c"}
			for name, want := range map[string][]string{
				"chat":   append(slices.Clone(shared), "92a54e8276ccec21b50a7f123d8d7e36b65a2b4ef567aaca622a5590103ead68"),
				"answer": append(slices.Clone(shared), c.forked),
			} {
				info, err := s.Find(t.Context(), name)
				must(t, err)
				history, err := store.Collect(s.History(t.Context(), info.Key, 1, 3))
				must(t, err)
				for i, snapshot := range history {
					if got := snapshot.Digest().String(); got != want[i] {
						t.Errorf("%s: cycle %d has the digest %s", name, i+1, got)
					}
				}
				w := &turns{store: s}
				must(t, w.load(t.Context(), info.Key))
				if got := w.state.Working.Digest().String(); name == "chat" && got != c.working {
					t.Errorf("the working state has the digest %s", got)
				}
				w.next(t, "written by the newest version")
				if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
					t.Errorf("%s: %+v, %v", name, damage, err)
				}
			}
			if damage, err := s.CheckAll(t.Context()); err != nil || damage != nil {
				t.Errorf("%+v, %v", damage, err)
			}
			sound(t, path)
		})
	}
}
