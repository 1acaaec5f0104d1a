package runs

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// Family is what the first calls of the sub-agents and forks of a context repeat of its own calls.
type Family struct {
	Kin []Kin `json:"kin"` // by name
	// Compared is how many of them could be compared, and Ended by what their prefixes end, by cause.
	Compared int            `json:"compared"`
	Blocks   int            `json:"blocks"`    // that they repeat, together
	OfBlocks int            `json:"of_blocks"` // of the calls that they are compared with
	Bytes    int64          `json:"bytes"`     // the same of their threads
	OfBytes  int64          `json:"of_bytes"`
	Read     int64          `json:"read"` // tokens that the provider read from its cache for those calls
	Told     int            `json:"told"` // of how many it said so
	Ended    map[string]int `json:"ended"`
}

// Kin is a sub-agent or a fork of a context.
type Kin struct {
	Run  string `json:"run"`
	How  string `json:"how"`  // sub-agent or fork
	Call int64  `json:"call"` // its first call that is its own
	// Of is the call of the parent that it is compared with: of a fork the one that it left, of a sub-agent the one whose
	// answer began it. Known is how that is known: seen in the log, or unknown, and then it is the first call.
	Of     int64               `json:"of"`
	Known  inspect.Evidence    `json:"known"`
	Shared *inspect.CallShared `json:"prefix,omitempty"` // nil if they cannot be compared
	// Cause is what ended the prefix: model, key (of the cache), parameters, tools, system, compaction, block or thinking;
	// "" if it repeats all, or cannot be compared. Names are the parameters, the tools, or the old and the new model.
	Cause string   `json:"cause,omitempty"`
	Names []string `json:"names,omitempty"`
	Read  *int64   `json:"read,omitempty"` // tokens that the provider read from its cache, nil if it did not say
}

// FamilyOf compares the first calls of the sub-agents and forks of a context with its own, by the rules of the API that
// they called. Cost: two requests for each of them, and where the log names the block that began a sub-agent the life of
// that block.
func FamilyOf(ctx context.Context, db *pact.DB, r *view.Relations, c *pact.Context) (*Family, error) {
	f := &Family{Kin: []Kin{}, Ended: map[string]int{}}
	lines, err := linesOf(ctx, r, c)
	if err != nil {
		return nil, err
	}
	for _, name := range r.Names {
		i := r.Of(name)
		k := Kin{Run: i.Name, Known: inspect.SeenInBytes}
		from, block := record.BegunBy(i.Listed)
		newest, ours := lines[i.Origin.Key]
		switch {
		case ours && i.Name != c.Info().Name && i.Origin.Cycle <= newest:
			k.How, k.Of, k.Call = "fork", i.Origin.Cycle, i.Origin.Cycle+1
		case from == c.Info().Name && i.Origin.Key == 0:
			k.How, k.Call = "sub-agent", i.First
			if k.Of, k.Known, err = callThatBrought(ctx, c, block); err != nil {
				return nil, err
			}
		default:
			continue
		}
		if k.Call > i.Cycle || k.Call < 1 {
			continue // it has made no call
		}
		if err := k.compare(ctx, db, c); err != nil {
			return nil, err
		}
		f.add(k)
	}
	return f, nil
}

// linesOf returns up to which cycle a context has the calls of which lines: its own, and those that an undo took back, of
// which it goes on. A line that was deleted since is one of them, but not what stood before it. Cost: the entries of the
// log at each undo.
func linesOf(ctx context.Context, r *view.Relations, c *pact.Context) (map[history.Key]int64, error) {
	at := r.Of(c.Info().Name)
	lines, newest := map[history.Key]int64{at.Key: math.MaxInt64}, int64(math.MaxInt64)
	for ; at != nil; at = r.Line(at.Origin.Key) {
		undone := false
		for e, err := range c.Log(ctx, at.Origin.Cycle) {
			if err != nil {
				return nil, err
			}
			if e.Revision > at.Origin.Revision {
				undone = e.Undone() != ""
				break
			}
		}
		if !undone {
			break
		}
		newest = min(newest, at.Origin.Cycle)
		lines[at.Origin.Key] = newest
	}
	return lines, nil
}

// callThatBrought returns the call whose answer has a block.
func callThatBrought(ctx context.Context, c *pact.Context, block string) (int64, inspect.Evidence, error) {
	first := c.Info().First
	if block == "" {
		return first, inspect.NotKnown, nil
	}
	line, err := c.Timeline(ctx, block)
	switch {
	case fault.CodeOf(err) == fault.NodeNotFound: // it was erased
		return first, inspect.NotKnown, nil
	case err != nil:
		return 0, "", err
	}
	if line.First == nil {
		last := c.Info().Cycle
		return last, inspect.SeenInBytes, nil // no call has sent the answer back yet
	}
	return max(first, *line.First-1), inspect.SeenInBytes, nil
}

// compare compares the first call of a sub-agent or a fork with that of its parent.
func (k *Kin) compare(ctx context.Context, db *pact.DB, parent *pact.Context) error {
	c, err := pact.Open(ctx, db, k.Run, nil)
	if err != nil {
		return err
	}
	p, err := record.CompareAcross(ctx, parent, k.Of, c, k.Call)
	if err != nil {
		return err
	}
	if k.Shared = p.Shared; p.Cut != nil {
		k.Cause, k.Names = p.Cut.Cause, p.Cut.Names
		if k.Cause == string(provider.CauseParameters) && slices.Contains(k.Names, "prompt_cache_key") {
			k.Cause = "key"
		}
	}
	if p.Provider != nil {
		k.Read = p.Provider.Read
	}
	return nil
}

func (f *Family) add(k Kin) {
	f.Kin = append(f.Kin, k)
	if k.Shared == nil {
		return
	}
	f.Compared++
	f.Blocks, f.OfBlocks = f.Blocks+k.Shared.Blocks, f.OfBlocks+k.Shared.OfBlocks
	f.Bytes, f.OfBytes = f.Bytes+k.Shared.Bytes, f.OfBytes+k.Shared.OfBytes
	if k.Read != nil {
		f.Read, f.Told = f.Read+*k.Read, f.Told+1
	}
	if k.Cause != "" {
		f.Ended[k.Cause]++
	}
}

// InWords sums the family up in a sentence without its end.
func (f *Family) InWords() string {
	if len(f.Kin) == 0 {
		return "no sub-agent and no fork of it has made a call"
	}
	text := "sub-agents and forks compared: " + strconv.Itoa(f.Compared) + "; their first calls repeat " +
		strconv.Itoa(f.Blocks) + " of " + view.Plural(f.OfBlocks, "block") + ", " + view.Size(f.Bytes) + " of " + view.Size(f.OfBytes) + " (seen)"
	if f.Told > 0 {
		text += "; the provider read " + view.Plural(int(f.Read), "token") + " from its cache for " + strconv.Itoa(f.Told) + " of them (counted)"
	}
	begin := "; ended by "
	for _, cause := range []string{"model", "key", "parameters", "tools", "system", "compaction", "block", "thinking"} {
		if n := f.Ended[cause]; n > 0 {
			text, begin = text+begin+cause+" in "+strconv.Itoa(n), ", "
		}
	}
	if left := len(f.Kin) - f.Compared; left > 0 {
		text += "; " + strconv.Itoa(left) + " cannot be compared"
	}
	return text
}
