package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/store/sqlite"
)

// A page of data whose one row ends as the row with the mark does is no mark: nothing is written into it.
func TestARowThatEndsLikeTheMarkIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	data, err := os.ReadFile(path)
	must(t, err)
	page := data[4*4096 : 5*4096]
	if !sqlite.IsMark(page) {
		t.Fatal("the fifth page is not the mark")
	}
	longer := bytes.Clone(page)
	longer[9] -= 100 // its row begins earlier
	if sqlite.IsMark(longer) {
		t.Error("a page with a longer row is taken for the mark")
	}
}
