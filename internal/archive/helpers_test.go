package archive_test

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
)

var (
	background = context.Background()

	create   = dbtest.Create
	say      = dbtest.Say
	steps    = dbtest.Steps
	must     = testrun.Must
	ids      = dbtest.IDs
	exported = dbtest.Exported
)

// sayOnce commits a turn of one text.
func sayOnce(c *pact.Context, text string) error {
	_, err := c.Commit(background, &pact.CommitOptions{Edit: say(text)})
	return err
}
