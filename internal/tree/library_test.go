package tree_test

import "github.com/contexttree/pact/internal/dbtest"

var (
	create    = dbtest.Create
	say       = dbtest.Say
	must      = dbtest.Must
	selected  = dbtest.IDs
	exported  = dbtest.Exported
	published = dbtest.Published
)
