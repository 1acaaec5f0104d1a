package pact_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/contexttree/pact"
)

// TestEraseWritesTheReceiptFirst holds that the receipt is handed over once, before
// anything is written, and that nothing is erased where it cannot be.
func TestEraseWritesTheReceiptFirst(t *testing.T) {
	for name, s := range stores(t) {
		c := create(t, s)
		must(t, c.Edit(background, say("I am Jane Doe"), nil))
		_, err := c.Commit(background, nil)
		must(t, err)
		revision := c.Revision()

		var given []string
		lost := errors.New("nowhere to put it")
		e := pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: chance(), DryRun: true,
			Receipt: func(receipt string) error {
				given = append(given, receipt)
				if name == "sqlite" { // the store in memory is locked meanwhile
					info, err := s.Find(background, "c")
					if err != nil || info.Revision != revision {
						t.Errorf("the receipt comes at revision %d, %v", info.Revision, err)
					}
				}
				return lost
			}}
		_, err = c.Erase(background, e)
		must(t, err)
		if len(given) > 0 {
			t.Errorf("%s: a dry run gives the receipts %q", name, given)
		}
		e.DryRun = false
		if _, err := c.Erase(background, e); !errors.Is(err, lost) {
			t.Errorf("%s: a lost receipt: %v", name, err)
		}
		if list := verdicts(t, s); c.Revision() != revision || len(list) > 0 {
			t.Errorf("%s: an erasure without a receipt left revision %d, and verify says %q", name, c.Revision(), list)
		}
		lost, given, e.Random = nil, nil, chance()
		of, err := c.Erase(background, e)
		must(t, err)
		if !slices.Equal(given, []string{of.Receipt}) {
			t.Errorf("%s: the receipts are %q, and the answer has %q", name, given, of.Receipt)
		}
		e.Random = chance()
		if of, err = c.Erase(background, e); err != nil || of.Receipt != "" || len(given) != 1 {
			t.Errorf("%s: nothing was left, and the receipts are %q, %v", name, given, err)
		}
	}
}
