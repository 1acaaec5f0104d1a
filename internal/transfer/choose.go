package transfer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// branch is a branch of history to copy. Its Cycle and Revision are the last ones to copy.
type branch struct {
	engine.Branch
	reader   history.Key // a context whose history includes the branch up to there
	found    int64       // revisions that an interrupted copy wrote
	attempts int
}

// firstRevision is the first revision that the branch does not share with its origin.
func (l *branch) firstRevision() int64 { return l.Origin.Revision + 1 }

// cycles is how many snapshots the branch does not share with its origin.
func (l *branch) cycles() int {
	if l.Origin.Key != 0 {
		return int(l.Cycle - l.Origin.Cycle)
	}
	return int(l.Cycle - l.First + 1)
}

// choose lists what to copy: the named contexts, or all if there are no names, and what they
// share of their origins. It copies an origin without a name of its own like the rest of a
// deleted context.
func (c *copying) choose(names []string) error {
	all, err := c.from.Branches(c.ctx)
	if err != nil {
		return err
	}
	byKey, byName := make(map[history.Key]*branch, len(all)), make(map[string]*branch, len(all))
	for _, l := range all {
		byKey[l.Key] = &branch{Branch: l, reader: l.Key}
		if !l.Shared && !l.Unfinished {
			byName[l.Name] = byKey[l.Key]
		}
	}
	if len(names) == 0 {
		for name := range byName {
			names = append(names, name)
		}
	}
	named, chosen := make(map[*branch]bool), make(map[*branch]bool)
	for _, name := range names {
		l := byName[name]
		if l == nil {
			return engine.NoContext(name)
		}
		named[l], chosen[l] = true, true
	}
	for _, l := range slices.Backward(all) { // forks before their origins
		fork, origin := byKey[l.Key], byKey[l.Origin.Key]
		if chosen[fork] && origin != nil && !named[origin] {
			origin.share(fork, chosen[origin])
			chosen[origin] = true
		}
	}
	for _, l := range all {
		if of := byKey[l.Key]; chosen[of] {
			c.branches = append(c.branches, of)
			c.total += of.cycles()
			if !of.Shared {
				c.total += int(of.Cycle - of.First + 1)
			}
		}
	}
	return nil
}

// share makes an origin that is not named into what a fork shares of it, or more if another
// fork shares more.
func (l *branch) share(fork *branch, chosen bool) {
	if at := fork.Origin; !chosen || at.Cycle > l.Cycle {
		l.Shared, l.Name, l.Cycle, l.Revision = true, "@"+strconv.FormatInt(int64(l.Key), 10), at.Cycle, at.Revision
		l.reader = fork.reader
	}
}

// refuseTaken returns E_CONFLICT if the target has one of the names.
func (c *copying) refuseTaken() error {
	there, err := c.to.List(c.ctx)
	if err != nil {
		return err
	}
	taken := make(map[string]bool, len(there))
	for _, i := range there {
		taken[i.Name] = true
	}
	var list []string
	for _, l := range c.branches {
		if taken[l.Name] && !l.Shared {
			list = append(list, l.Name)
		}
	}
	slices.Sort(list)
	switch len(list) {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Conflict, "the target has a context "+list[0]+" already", takenRemedy)
	}
	const shown = 5
	text := strings.Join(list[:min(len(list), shown)], ", ")
	if more := len(list) - shown; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return fault.New(fault.Conflict, "the target has the contexts "+text+" already", takenRemedy)
}

const takenRemedy = "rename or delete them on one side, or name the contexts to copy"
