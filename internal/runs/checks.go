package runs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// checker checks the requests of a run by the rules of an API. A recorded request is checked as it was sent, if it was
// sent to that API. Of other runs the thread is written as a request: what a run lacks because its log does, such as
// parameters, is no problem of the run.
type checker struct {
	ctx      context.Context
	c        *pact.Context
	api      string
	requests *record.Requests
	exact    bool       // requests are as they were sent
	before   []byte     // the request before, to the same API
	last     *view.Step // that was not checked, nil for none
	found    []*problem
	known    map[record.Problem]*problem
}

// problem is one of a request, and how many later calls sent it again.
type problem struct {
	record.Problem
	call   int64
	again  int
	asSent bool // not made of a thread
}

func newChecker(ctx context.Context, c *pact.Context, api string) *checker {
	source := record.SourceOf(c.Working())
	return &checker{ctx: ctx, c: c, api: api, requests: record.NewRequests(c), exact: source != nil && !source.Rebuilt(),
		known: map[record.Problem]*problem{}}
}

// call takes up a call. A call whose request the next one repeats is checked with that one, unless it was recorded.
func (k *checker) call(s *view.Step) error {
	repeats := false
	if s.Shared != nil {
		_, _, repeats = view.Reused(&s.Prefix)
	}
	before := k.last
	if k.last = s; before == nil || repeats && !k.exact {
		return nil
	}
	return k.check(before)
}

func (k *checker) end() error {
	if k.last == nil {
		return nil
	}
	return k.check(k.last)
}

// check checks what a call sent: of recorded requests that of each attempt.
func (k *checker) check(s *view.Step) error {
	numbers := []int64{0}
	if k.exact {
		attempts, err := sentIn(k.ctx, k.c, s.Cycle)
		if err != nil {
			return err
		}
		for i, a := range attempts {
			_, n, _, _ := history.ParseAttemptID(a.ID)
			numbers = append(numbers[:i], n)
		}
	}
	for _, n := range numbers {
		if err := k.attempt(s, n); err != nil {
			return err
		}
	}
	return nil
}

// sentIn returns the attempts of a cycle of which a request was recorded.
func sentIn(ctx context.Context, c *pact.Context, cycle int64) ([]history.Attempt, error) {
	attempts, err := c.Attempts(ctx, cycle, cycle)
	return slices.DeleteFunc(attempts, func(a history.Attempt) bool { return a.Request == "" }), err
}

// attempt checks what an attempt of a call sent, for the number 0 the last one.
func (k *checker) attempt(s *view.Step, number int64) error {
	q := &record.CheckRequest{Form: k.api, After: k.before}
	err := k.asSent(s, number, q)
	asSent := q.Body != nil
	if !asSent && err == nil {
		q.Body, err = k.made(s, q)
	}
	var problems []record.Problem
	switch {
	case errors.Is(err, fault.Conflict) || errors.Is(err, fault.AttemptNotFound): // it was erased, or never recorded
		problems = []record.Problem{{Problem: "the request cannot be checked: " + err.Error()}}
	case err != nil:
		return err
	default:
		if _, problems, err = record.Check(q); err != nil {
			return err
		}
	}
	k.before = q.Body
	for _, p := range problems {
		if !asSent && ofLog[p.Rule] {
			continue
		}
		if same := k.known[p]; same != nil {
			same.again++
			continue
		}
		k.known[p] = &problem{Problem: p, call: s.Cycle, asSent: asSent}
		k.found = append(k.found, k.known[p])
	}
	return nil
}

// ofLog are the rules that say that fields are missing: of a request that was not recorded, the log lacks them.
var ofLog = map[string]bool{"required": true, "signatures": true, "reasoning-stored": true}

// made writes the thread of a call as a request.
func (k *checker) made(s *view.Step, q *record.CheckRequest) (body []byte, err error) {
	if record.Recorded(s.Now) {
		body, _, err = record.WholeRequest(k.ctx, k.c, s.Now, k.api)
		return body, err
	}
	q.Model = modelOf(s)
	body, _, err = record.Thread(k.ctx, s.Now, k.api) // the messages of the log may write calls and results in other ways
	return body, err
}

// asSent reads the request of a call as it was recorded, if it was sent to the API that is asked for.
func (k *checker) asSent(s *view.Step, number int64, q *record.CheckRequest) error {
	if !k.exact {
		return nil
	}
	body, err := k.requests.Of(k.ctx, s.Cycle, number)
	if err != nil {
		return err
	}
	if provider.FormOf(cmp.Or(provider.APIOf(http.MethodPost, body.Path), provider.APIOfBody(body.Bytes))) == k.api {
		q.Body, q.Path = bytes.Clone(body.Bytes), body.Path // the next request takes their place
	}
	return nil
}

func (k *checker) failures() (list []Failure) {
	for _, p := range k.found {
		cause, evidence := p.Problem.Problem, inspect.NotKnown
		if p.Rule != "" {
			cause, evidence = cause+" ("+p.Rule+", "+p.Source+"); "+p.Remedy, inspect.Computed
		}
		if p.Rule != "" && p.asSent {
			evidence = inspect.SeenInBytes
		}
		if p.again > 0 {
			cause += "; so in " + view.Plural(p.again, "later request")
		}
		place := strings.TrimSpace(view.Visible(k.c.Info().Name) + view.Cycle(p.call) + " " + p.Place)
		list = append(list, Failure{place, view.Visible(cause), evidence})
	}
	return list
}
