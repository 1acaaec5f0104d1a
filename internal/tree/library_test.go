package tree_test

import (
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
)

var (
	create    = dbtest.Create
	say       = dbtest.Say
	must      = testrun.Must
	selected  = dbtest.IDs
	exported  = dbtest.Exported
	published = dbtest.Published
)
