// Package storetest is the contract of a store as tests: every implementation
// of store.Store runs it.
package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Suite is a store under test.
type Suite struct {
	// Open returns an empty store that is closed when the test ends.
	Open func(t *testing.T) store.Store
	// Reopen closes a store and opens it again with all that was in it. nil
	// for a store that lives no longer than its process.
	Reopen func(t *testing.T, s store.Store) store.Store
}

// Run holds a store to the contract.
func Run(t *testing.T, open func(t *testing.T) store.Store) { Suite{Open: open}.Run(t) }

// Run holds a store to the contract, with everything read again after the
// store was opened again where it can be.
func (s Suite) Run(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Suite)
	}{
		{"Contexts", testContexts},
		{"Names", testNames},
		{"Rename", testRename},
		{"Delete", testDelete},
		{"Missing", testMissing},
		{"Closed", testClosed},

		{"Drafts", testDrafts},
		{"Commits", testCommits},
		{"OneStep", testOneStep},
		{"SeveralChanges", testSeveralChanges},
		{"AllOrNone", testAllOrNone},
		{"Guard", testGuard},
		{"Sharing", testSharing},
		{"LongHistory", testLongHistory},
		{"Log", testLog},
		{"Requests", testRequests},
		{"Has", testHas},
		{"Readers", testReaders},

		{"SystemUpdates", testSystemUpdates},
		{"Removal", testRemoval},
		{"DraftChanges", testDraftChanges},
		{"DraftReset", testDraftReset},
		{"Lifecycle", testLifecycle},
		{"Cores", testCores},
		{"Groups", testGroups},
		{"Attachments", testAttachments},

		{"Import", testImport},
		{"ImportedHead", testImportedHead},
		{"ImportedHistory", testImportedHistory},
		{"ForeignDrafts", testForeignDrafts},
		{"ForeignClasses", testForeignClasses},
		{"Content", testContent},
		{"Headers", testHeaders},
		{"Extremes", testExtremes},
		{"IDs", testIDs},

		{"Fork", testFork},
		{"ForkOfAFork", testForkOfAFork},
		{"ForkAside", testForkAside},
		{"ForkRequests", testForkRequests},
		{"ForkRefused", testForkRefused},
		{"ForkDelete", testForkDelete},
		{"ForkImported", testForkImported},

		{"Attempts", testAttempts},
		{"AttemptsRefused", testAttemptsRefused},
		{"AttemptsOfForks", testAttemptsOfForks},
		{"AttemptsOfTheDeleted", testAttemptsOfTheDeleted},
		{"AttemptsAtOnce", testAttemptsAtOnce},

		{"Erase", testErase},
		{"EraseBelow", testEraseBelow},
		{"EraseMoved", testEraseMoved},
		{"EraseFamily", testEraseFamily},
		{"EraseText", testEraseText},
		{"EraseAttempts", testEraseAttempts},
		{"EraseDrafts", testEraseDrafts},

		{"RandomHistories", testRandomHistories},
		{"RandomForks", testRandomForks},
		{"EraseRandom", testEraseRandom},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, s) })
	}
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var background = context.Background()
