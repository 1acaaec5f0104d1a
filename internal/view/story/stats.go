package story

import (
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
)

// Stat counts what a cycle changed since the previous one.
type Stat struct {
	Added   int   `json:"added"`
	Removed int   `json:"removed"`
	Changed int   `json:"changed"`
	Blocks  int   `json:"blocks"`
	Bytes   int64 `json:"bytes"`
}

// Reported puts the report of a commit into words, a phrase for each reason.
func Reported(raw json.RawMessage) (list []string) {
	var r lifecycle.Report
	if len(raw) == 0 || json.Unmarshal(raw, &r) != nil {
		return nil
	}
	reasons := map[lifecycle.Reason]int{}
	for _, gone := range r.Removed {
		reasons[gone.Reason]++
	}
	for _, reason := range []lifecycle.Reason{lifecycle.Expired, lifecycle.Cascaded, lifecycle.Pruned,
		lifecycle.Orphaned} {
		if n := reasons[reason]; n > 0 {
			list = append(list, strconv.Itoa(n)+" "+string(reason))
		}
	}
	if n := len(r.Kept); n > 0 {
		list = append(list, strconv.Itoa(n)+" held back")
	}
	if n := len(r.Stubs); n > 0 {
		list = append(list, view.Plural(n, "stub"))
	}
	if n := len(r.Orphans) - reasons[lifecycle.Orphaned]; n > 0 {
		list = append(list, view.Plural(n, "orphan")+" kept")
	}
	if r.Budget != "" {
		list = append(list, r.Budget)
	}
	return list
}
