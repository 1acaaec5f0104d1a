package document_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/selector"
)

// Snapshots that share their turns show the ttl of their own cycle, and are written as each alone is.
func TestSeriesShowsTheTTLOfEachCycle(t *testing.T) {
	d, err := read(t, `{'cycle':4,'root':{'children':[{'nodeType':'^seq','id':'s','children':[
		{'id':'t','children':[{'id':'b','ttl':7}]},{'id':'u','created_at_ns':1,'children':[{'id':'c'}]}]}]}}`,
		document.Options{Edition: selector.V01})
	must(t, err)
	var series document.Series
	for i, ttl := range []string{`"ttl":7`, `"ttl":6`, `"ttl":5`} {
		var out, alone bytes.Buffer
		seen := d.Tree.WithCycle(d.Tree.Cycle() + int64(i))
		must(t, series.Write(context.Background(), &out, seen, d.Edition))
		must(t, document.Write(context.Background(), &alone, seen, d.Edition))
		if out.String() != alone.String() || strings.Count(out.String(), ttl) != 1 {
			t.Errorf("%d cycles later, with %s: got\n%s\nalone it is\n%s", i, ttl, &out, &alone)
		}
	}
}
