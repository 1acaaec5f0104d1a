package transcript

import (
	"strconv"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/tree"
)

// Totals are the counts of a file over all calls of a conversation.
type Totals struct {
	Calls, TokensIn, TokensOut int64
	Cost                       float64 // in US dollars
}

// TotalsOf returns the counts of the file that a context was imported from. ok is false without counts:
// only SWE-agent writes them (info.model_stats).
func TotalsOf(s *pact.Snapshot) (t Totals, ok bool) {
	root := tree.Of(s).Root().Node()
	info, _ := root.Header(calllog.ShapeSWESmith + ":conversation").Any().Get("info")
	stats, _ := info.Get("model_stats")
	count := func(name string) int64 {
		v, _ := stats.Get(name)
		n, _ := v.Value().Int64()
		return n
	}
	t = Totals{Calls: count("api_calls"), TokensIn: count("tokens_sent"), TokensOut: count("tokens_received")}
	cost, _ := stats.Get("instance_cost")
	t.Cost, _ = strconv.ParseFloat(cost.Text, 64) // 0 if it is missing
	return t, t != Totals{}
}
