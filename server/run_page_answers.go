package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/runfile"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// pageMaker asks a server for all that the page of a run shows.
type pageMaker struct {
	ctx        context.Context
	server     *Server
	run        *pact.Context
	file       *runfile.File
	path       string
	rows       map[rowKey]int    // the index of a row
	nodes      int               // how many nodes were asked for
	lives      map[string]bool   // of nodes, that are kept
	callOf     map[string]string // the call of a result
	before     *pact.Snapshot    // the state before
	last       []int             // its rows
	trees      view.TreeText
	requests   *record.Requests
	lastAnswer answerBuffer // the last answer
	unit       view.Unit    // in which blocks are listed: tokens, if the server counts them
}

// answerBuffer is an answer, in memory.
type answerBuffer struct {
	bytes.Buffer
	head   http.Header
	status int
}

func (c *answerBuffer) Header() http.Header    { return c.head }
func (c *answerBuffer) WriteHeader(status int) { c.status = status }

// request begins a request of the page; its context has every right, because the server has nothing but the run.
func (p *pageMaker) request(method, path, body string) (*exchange, *answerBuffer, error) {
	a := &p.lastAnswer
	a.Reset()
	a.head, a.status = http.Header{}, http.StatusOK
	e := &exchange{ResponseWriter: a, limits: p.server.limits, right: right{all: true}}
	r, err := http.NewRequestWithContext(context.WithValue(p.ctx, exchangeKey{}, e), method, "http://127.0.0.1"+path,
		strings.NewReader(body))
	if err == nil && body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	e.request = r
	return e, a, err
}

// ask returns the answer to a request of the page, which is there until the next one. A refusal is an error.
func (p *pageMaker) ask(path string) ([]byte, error) {
	return p.answered(http.MethodGet, path, "")
}

func (p *pageMaker) answered(method, path, body string) ([]byte, error) {
	e, a, err := p.request(method, path, body)
	if err != nil {
		return nil, err
	}
	p.server.mux.ServeHTTP(e, e.request)
	e.finish()
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, fault.New(fault.Store, "the page cannot have "+path+": "+strings.TrimSpace(a.String()),
			"mend what it names, and make the page again")
	}
	return a.Bytes(), nil
}

// describeRun returns what is known of the run itself, without what other contexts and the moment say.
func (p *pageMaker) describeRun() (context, list []byte, err error) {
	text, err := p.ask(p.path)
	if err != nil {
		return nil, nil, err
	}
	var row map[string]json.RawMessage
	if err := json.Unmarshal(text, &row); err != nil {
		return nil, nil, err
	}
	delete(row, "changed")
	delete(row, "forked_from")
	if context, err = json.Marshal(row); err == nil {
		list, err = json.Marshal(map[string]any{"items": []json.RawMessage{context}})
	}
	return context, list, err
}

// store keeps the answer to a request under a name.
func (p *pageMaker) store(name, path string) error {
	answer, err := p.ask(path)
	if err == nil {
		p.file.SetText(name, answer)
	}
	return err
}

func (p *pageMaker) collect(progress func(done, total int)) error {
	first, last := p.run.Info().First, p.run.Info().Cycle
	span := "from=@c" + strconv.FormatInt(first, 10) + "&to=@c" + strconv.FormatInt(last, 10)
	if last < first {
		span = ""
	}
	own, list, err := p.describeRun()
	if err != nil {
		return err
	}
	p.file.SetText("context", own)
	p.file.SetText("contexts", list)
	if err := p.store("policies", "/v1/policies?context="+url.QueryEscape(p.file.Name)); err != nil {
		return err
	}
	units := []string{"bytes", "tokens"}
	if p.server.options.Counter == nil {
		units = units[:1]
	}
	p.unit = view.Unit(units[len(units)-1])
	for _, unit := range units {
		if err := p.store("strata "+unit, p.path+"/strata?columns=800&rows=300&draft=true&unit="+unit+"&"+span); err != nil {
			return err
		}
		if last < first {
			continue
		}
		if err := p.calls(unit, span); err != nil {
			return err
		}
	}
	if last >= first && len(units) > 1 {
		if err := p.store("findings", p.path+"/findings"); err != nil {
			return err
		}
		text, err := p.answered(http.MethodPost, p.path+"/simulation", `{"policies":[],"calls":true}`)
		if err != nil {
			return err
		}
		p.file.SetText("simulation", text)
	}
	before := ""
	for cycle := first; cycle <= last; cycle++ {
		at := "@c" + strconv.FormatInt(cycle, 10)
		if err := p.addState(at, before, cycle); err != nil {
			return err
		}
		if err := p.sent(at, cycle); err != nil {
			return err
		}
		before = at
		if progress != nil {
			progress(int(cycle-first)+1, int(last-first)+1)
		}
	}
	return p.addState("working", before, last+1)
}

// addState keeps what the panes show of a state.
func (p *pageMaker) addState(at, before string, cycle int64) error {
	var diff struct {
		Modified []struct{ ID string } `json:"components_modified"`
		Removed  []struct{ ID string } `json:"components_removed"`
	}
	if before != "" {
		text, err := p.ask(p.path + "/diff?content_mode=tokens&from=" + before + "&to=" + at)
		if err != nil {
			return err
		}
		p.file.SetText("diff "+at, text)
		if err := json.Unmarshal(text, &diff); err != nil {
			return err
		}
	}
	e, _, err := p.request(http.MethodGet, p.path, "")
	if err != nil {
		return err
	}
	ctx := e.request.Context()
	_, v, err := p.server.view(ctx, &stateQuery{p.file.Name, at, p.unit})
	if err != nil {
		return err
	}
	inBytes := *v
	inBytes.Counter = nil
	parts, begins, err := p.trees.Of(ctx, &inBytes)
	if err != nil {
		return err
	}
	for i, begins := range []int{0, begins, 0} {
		p.file.SetNext("tree "+at+" "+strconv.Itoa(i), parts[i], begins)
	}
	same := 0
	if p.before != nil {
		shared, err := pact.SharePrefix(ctx, p.before, v.Snapshot)
		if err != nil {
			return err
		}
		same = shared.Blocks
	}
	p.before = v.Snapshot
	total, _ := tree.Of(v.Snapshot).ThreadSize()
	fresh, objects, err := v.From(ctx, same, total-same)
	if err != nil {
		return err
	}
	// What stands where it stood is the same block, but an edit that the thread does not show, or a result that came
	// or went, may have changed what is known of it.
	again, changed := map[string]bool{}, map[string]bool{}
	for _, m := range diff.Modified {
		again[m.ID], changed[m.ID] = true, true
	}
	for _, m := range diff.Removed {
		again[p.callOf[m.ID]] = true
	}
	for _, b := range fresh {
		again[b.Call] = true
	}
	for _, id := range slices.Sorted(maps.Keys(again)) {
		place, _, there, err := tree.Of(v.Snapshot).ThreadPlace(id)
		if err != nil {
			return err
		}
		if !there || place >= same {
			continue
		}
		rows, texts, err := v.From(ctx, place, 1)
		if err != nil {
			return err
		}
		if rows[0].ID == id { // it is a block
			fresh, objects = append(fresh, rows...), append(objects, texts...)
		}
	}
	if same > len(p.last) {
		return fault.New(fault.Store, "the thread of "+at+" does not go on from the one before it",
			"report it as a fault of the library")
	}
	p.last = append(p.last[:same], make([]int, total-same)...)
	for i, b := range fresh {
		if p.last[b.Place], err = p.row(b, objects[i], at, cycle, changed[b.ID]); err != nil {
			return err
		}
	}
	p.file.AddState(at, p.last)
	return nil
}

// rowKey is a block without what its place in a thread says.
type rowKey struct {
	block  view.Block
	tokens int64
}

// row keeps a row, what is known of its block, and once for each block its life. It returns the index of the row.
func (p *pageMaker) row(b view.Block, object []byte, at string, cycle int64, changed bool) (int, error) {
	b.Place, b.Start, b.New, b.Calls = 0, 0, false, 0
	key := rowKey{block: b}
	if key.block.Tokens = nil; b.Tokens != nil {
		key.tokens = *b.Tokens
	}
	if b.Result != "" {
		p.callOf[b.Result] = b.ID
	}
	if index, known := p.rows[key]; known && !changed {
		return index, nil
	}
	block, err := json.Marshal(b)
	if err != nil {
		return 0, err
	}
	p.nodes++
	name := "node " + strconv.Itoa(p.nodes) + " " + b.ID
	of := p.path + "/nodes/" + url.PathEscape(b.ID)
	about, err := p.ask(of + "?at=" + at)
	if err != nil {
		return 0, err
	}
	p.file.SetText(name, about)
	var has struct{ Complete bool }
	if err := json.Unmarshal(about, &has); err != nil {
		return 0, err
	}
	if !has.Complete {
		if err := p.store("content "+name, of+"/content?at="+at); err != nil {
			return 0, err
		}
	}
	if !p.lives[b.ID] {
		p.lives[b.ID] = true
		if err := p.store("life "+b.ID, of+"/life"); err != nil {
			return 0, err
		}
	}
	index := p.file.AddRow(runfile.Row{Block: block, Node: name, Cycle: cycle}, object)
	p.rows[key] = index
	return index, nil
}

// sent keeps the attempts of a call, and the requests of them that were recorded.
func (p *pageMaker) sent(at string, cycle int64) error {
	number := strconv.FormatInt(cycle, 10)
	text, err := p.ask(p.path + "/attempts?limit=1000&from=" + number + "&to=" + number)
	if err != nil {
		return err
	}
	var has struct {
		Items    []json.RawMessage `json:"items"`
		Recorded []string          `json:"recorded,omitempty"`
	}
	if err := json.Unmarshal(text, &has); err != nil {
		return err
	}
	ids := has.Recorded
	has.Recorded = nil
	for _, id := range ids {
		_, n, _, _ := history.ParseAttemptID(id)
		sent, err := p.requests.Of(p.ctx, cycle, n)
		if err != nil && !errors.Is(err, fault.AttemptNotFound) && !errors.Is(err, fault.Conflict) { // else it was erased
			return err
		}
		if name := "thread " + at + " verbatim:" + strconv.FormatInt(n, 10); err == nil && p.file.SetText(name, sent.Bytes) {
			has.Recorded = append(has.Recorded, id)
			p.file.SetAgain("thread "+at+" verbatim", name) // that of the last one
		}
	}
	text, err = json.Marshal(has)
	p.file.SetText("attempts "+number, text)
	return err
}
