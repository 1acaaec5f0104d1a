package pact_test

import (
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
)

// modelAttempt is a call of a provider, with the text that was sent.
type modelAttempt struct {
	id     string
	cycle  int64
	text   string
	status history.AttemptStatus
}

// modelAttempts are the attempts that a context should have, kept without hashes.
type modelAttempts struct {
	context   *pact.Context
	suffix    string
	calls     []*modelAttempt // shared with other lines where the cycle is
	published []string
	drafts    []string
}

func (d *modelAttempts) cycle() int64 { return int64(len(d.published)) + 1 }

// counts returns the counts that verify should give.
func (d *modelAttempts) counts() inspect.AttemptCounts {
	j := inspect.AttemptCounts{Records: len(d.calls), Differing: []int64{}}
	for _, a := range d.calls {
		if a.status == history.Running {
			j.Running++
		}
	}
	for i, text := range d.published {
		calls, completed, same := 0, 0, 0
		for _, a := range d.calls {
			if a.cycle == int64(i)+1 {
				calls++
				if a.status == history.Completed {
					completed++
					if a.text == text {
						same++
					}
				}
			}
		}
		switch {
		case same > 0:
			j.Matching++
		case completed > 0:
			j.Differing = append(j.Differing, int64(i)+1)
		case calls > 0:
			j.Incomplete++
		}
	}
	return j
}
