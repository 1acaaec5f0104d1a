package conformance

import (
	"cmp"
	"slices"
	"strings"
)

// CommandCount counts the cases that run one command of the program under test.
type CommandCount struct {
	Command string `json:"command"` // its name, such as select
	Cases   int    `json:"cases"`   // cases that run it
	Failed  int    `json:"failed"`  // cases that failed at its answer
}

// byCommand counts cases by command, most cases first. A case that runs several
// commands counts for each of them. A case that failed before it ran a command
// counts for none.
func (r *Report) byCommand() []CommandCount {
	at := map[string]int{}
	list := []CommandCount{}
	for _, c := range r.Cases {
		for _, name := range c.Commands {
			i, known := at[name]
			if !known {
				i = len(list)
				at[name] = i
				list = append(list, CommandCount{Command: name})
			}
			list[i].Cases++
			if c.failed() && c.At == name {
				list[i].Failed++
			}
		}
	}
	slices.SortFunc(list, func(a, b CommandCount) int {
		return cmp.Or(b.Cases-a.Cases, strings.Compare(a.Command, b.Command))
	})
	return list
}

// Failure is a group of cases that failed at the same command for the same reason.
type Failure struct {
	Command string   // the command whose answer was wrong
	Reason  string   // without what differs from case to case
	House   bool     // no sentence of the documents demands it
	Cases   []Result // in the order of the kit
}

// The reasons of all cases that got an answer, but not the wanted one.
const (
	wrongAnswer = "the answer is not the printed one"
	wrongError  = "this is not the error that the case wants"
)

// Failures groups the failed cases, largest group first. Of a command line in a
// reason only the name counts, because each case has arguments of its own, and all
// answers that are not the printed ones count as one reason.
func (r *Report) Failures() []Failure {
	type key struct {
		at, kind string
		house    bool
	}
	at := map[key]int{}
	var groups []Failure
	for _, c := range r.Cases {
		if !c.failed() {
			continue
		}
		k := key{c.At, c.kindOfFailure(), c.Origin.House()}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, Failure{Command: c.At, Reason: k.kind, House: k.house})
		}
		groups[i].Cases = append(groups[i].Cases, c)
	}
	slices.SortStableFunc(groups, func(a, b Failure) int { return len(b.Cases) - len(a.Cases) })
	return groups
}

func (r Result) kindOfFailure() string {
	switch line, rest, found := strings.Cut(r.Reason, ": "); {
	case strings.Contains(r.Reason, "wants the error ") || strings.Contains(r.Reason, "wants an error "):
		return wrongError
	case strings.Contains(r.Reason, "wants "):
		return wrongAnswer
	case found && strings.HasPrefix(line, r.At+" "): // the command line: no answer, or an exit code
		return rest
	}
	return r.Reason
}
