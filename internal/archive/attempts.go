package archive

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
)

// compactAttempt is an attempt in the compact form, in the line of its cycle.
type compactAttempt struct {
	EndedNS   int64                 `json:"ended_ns,omitempty"`
	Error     string                `json:"error,omitempty"`
	Model     string                `json:"model"`
	Number    int64                 `json:"number"` // in its cycle
	Params    string                `json:"params"`
	Provider  string                `json:"provider"`
	Request   string                `json:"request,omitempty"` // history.Attempt.Request in base64
	StartedNS int64                 `json:"started_ns"`
	Status    history.AttemptStatus `json:"status"`
	Thread    string                `json:"thread"`
	TokenIn   *int64                `json:"token_in,omitempty"`
	TokenOut  *int64                `json:"token_out,omitempty"`
}

// attemptPages reads the attempts of a context in the order of its cycles, many at once.
type attemptPages struct {
	store engine.Contexts
	key   history.Key
	ahead []history.Attempt // read, and not asked for yet
	to    int64             // the last cycle that was read
}

func attemptsOf(from *provenance.Source) *attemptPages {
	return &attemptPages{store: from.Store, key: from.State.Key, to: from.State.First - 1}
}

// cyclesAtOnce is how many cycles attemptPages reads at once.
const cyclesAtOnce = 256

// inCycle returns the attempts of a cycle. The caller asks for each cycle in turn.
func (p *attemptPages) inCycle(ctx context.Context, cycle int64) ([]history.Attempt, error) {
	if cycle > p.to {
		var err error
		p.to = cycle + cyclesAtOnce - 1
		if p.ahead, err = p.store.Attempts(ctx, p.key, cycle, p.to); err != nil {
			return nil, err
		}
	}
	n := 0
	for n < len(p.ahead) && p.ahead[n].Cycle <= cycle {
		n++
	}
	list := p.ahead[:n]
	p.ahead = p.ahead[n:]
	return list, nil
}

// appendAttempts appends the member of a line that holds attempts, nothing without any.
func appendAttempts(line []byte, list []history.Attempt) ([]byte, error) {
	if len(list) == 0 {
		return line, nil
	}
	kept := make([]compactAttempt, len(list))
	for i, a := range list {
		_, number, _, _ := history.ParseAttemptID(a.ID)
		kept[i] = compactAttempt{EndedNS: a.EndedNS, Error: a.Error, Model: a.Model, Number: number, Params: a.Params, Provider: a.Provider,
			Request: base64.StdEncoding.EncodeToString([]byte(a.Request)), StartedNS: a.StartedNS, Status: a.Status,
			Thread: a.Thread, TokenIn: a.TokenIn, TokenOut: a.TokenOut}
	}
	text, err := canon.Encode(kept)
	if err != nil {
		return nil, err
	}
	return append(append(append(line, `"attempts":`...), text...), ','), nil
}

// readAttempts reads the attempts in a line of a cycle. The context that they become part of is
// no fork, so they get ids without the number of one.
func readAttempts(doc canon.Any, cycle int64) ([]history.Attempt, error) {
	text, there := doc.Get("attempts")
	if !there {
		return nil, nil
	}
	var kept []compactAttempt
	if err := json.Unmarshal([]byte(text.Value()), &kept); err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "the attempts cannot be read", "write the history again")
	}
	list := make([]history.Attempt, len(kept))
	for i, k := range kept {
		request, err := base64.StdEncoding.DecodeString(k.Request)
		if err == nil && len(request) > 0 {
			_, err = history.UnpackRequest(string(request))
		}
		if err != nil {
			return nil, fault.Wrap(fault.DocumentInvalid, err, "the request of an attempt cannot be read",
				"write the history again")
		}
		a := history.Attempt{Cycle: cycle, Status: history.Running, StartedNS: k.StartedNS, Provider: k.Provider,
			Model: k.Model, Params: k.Params, Thread: k.Thread, Request: string(request)}
		if err := engine.CheckAttempt(&a); err != nil {
			return nil, err
		}
		if a.ID = history.AttemptID(cycle, k.Number, 0); k.Number != int64(i+1) {
			return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, a.ID,
				"the attempts of a cycle are not numbered 1, 2, 3 …", "write the history again, with every attempt of the cycle")
		}
		if k.Status != history.Running {
			end := history.Attempt{ID: a.ID, Status: k.Status, EndedNS: k.EndedNS, Error: k.Error, TokenIn: k.TokenIn,
				TokenOut: k.TokenOut}
			if err := engine.CheckAttempt(&end); err != nil {
				return nil, err
			}
			engine.EndAttempt(&a, end)
		}
		list[i] = a
	}
	return list, nil
}
