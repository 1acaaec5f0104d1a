package record

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
)

// ImportOptions says how past calls are recorded.
type ImportOptions struct {
	Context string           // name of the first context, as in [Options]
	Actor   string           // who imports, for the log
	Redact  []*regexp.Regexp // as in [Options]
	// Source says where the calls come from: the attribute wire:source of each
	// new context. It has a JSON form; nil for no attribute.
	Source map[string]any
	// BegunBy names the context and the call that began the conversation, if the log
	// says so: the attribute wire:begun-by of each new context. It has a JSON form. If
	// that context is in the store, the block of the call is added.
	BegunBy map[string]any
	// First is the ID of the first call of the log, "" if the log may begin
	// anywhere. Contexts that have calls, but not this one, were made of another
	// log, and NewImporter refuses to continue them.
	First string
	// Again records calls that were erased after an earlier import too.
	Again bool
}

// Importer records past calls in the order in which they were made. It decides
// as a Recorder does which context a call goes to, and takes the times of the
// log for stamps and attempts. It is not safe for concurrent use.
type Importer struct {
	store         *pact.DB
	options       ImportOptions
	recorder      *Recorder
	now           int64                 // the time in the log
	known         map[string]*recording // where the calls are recorded, by their ids
	erased        map[string]*recording // those that were erased, by their keyed ids
	underWay      bool                  // a call was under way when the contexts were opened
	latest        string                // id of the call that was added last
	skippedErased int                   // how many calls were left out because they were erased
	answersAbsent int                   // how many answers the request behind them does not repeat
	answersInPart int                   // and how many only in part
	before        *continued            // the request that was added last, nil if it was not recorded
}

// NewImporter returns an Importer that continues the contexts that an earlier
// one left under the same name. E_CONFLICT if a context with this name was not
// made by a recorder, or was made of another log. Cost: reading the attempts of
// these contexts.
func NewImporter(ctx context.Context, s *pact.DB, o ImportOptions) (*Importer, error) {
	if o.Context == "" {
		o.Context = "imported"
	}
	if err := names.Check(o.Context); err != nil {
		return nil, err
	}
	i := &Importer{store: s, options: o}
	return i, i.open(ctx)
}

// Add records a call, and reports whether it was new: others may import the same log meanwhile. A call that was erased stays
// erased, unless [ImportOptions] says Again. An answer with a status
// from 400 on, or one that broke off, is a failed attempt; a call whose
// answer the log lacks counts as answered with nothing. E_DOCUMENT_INVALID if the body is no
// request to the API, and the errors of the store.
func (i *Importer) Add(ctx context.Context, p PastCall) (added bool, err error) {
	err = i.raced(ctx, func(again bool) (err error) {
		if again && p.Whole != nil {
			if p.Body, err = p.Whole(); err != nil {
				return err
			}
			p.Whole = nil
		}
		added, err = i.add(ctx, p)
		return err
	})
	if err == nil {
		i.latest = p.ID
	}
	return added, err
}

func (i *Importer) add(ctx context.Context, p PastCall) (bool, error) {
	before := i.before
	i.before = nil
	if l := i.known[p.ID]; p.ID != "" && l != nil {
		i.recorder.recordings.latest = l
		return false, nil
	}
	l, err := i.wasErased(ctx, p.ID)
	if err != nil {
		return false, err
	}
	if l != nil && !i.options.Again {
		i.recorder.recordings.latest = l
		i.skippedErased++
		return false, nil
	}
	name := p.api()
	c := &call{recorder: i.recorder, api: name, ctx: ctx, hide: i.recorder.options.hider(),
		status: p.Status, header: http.Header{}}
	c.hide.secretsOf(&http.Request{Header: p.Header, URL: &url.URL{}})
	if p.Host == "" {
		p.Host = "unknown"
	}
	i.setTime(p.Started, p.Ended)
	c.started = c.now()
	k := &storedRequest{API: name, Path: p.Path, Headers: headersOf(p.Header), Call: p.ID}
	c.provider = p.Host
	next, err := i.read(before, c, k, &p)
	if err == nil && next == nil {
		err = notRequest(name)
	}
	if err == nil {
		next.rewrites, next.branches, next.past = p.Rewrites, p.Branches, true
		next.hide = c.hide
		err = c.record(context.WithoutCancel(ctx), k, next.request)
	}
	if err != nil {
		return false, err
	}
	if next.request.answerAbsent {
		i.answersAbsent++
	}
	if next.request.answerInPart {
		i.answersInPart++
	}
	if p.FirstByte > 0 && p.Started > 0 {
		c.first = time.Unix(0, p.FirstByte)
	}
	i.setTime(p.Ended, p.Started)
	c.finished = c.now()
	if err := i.endCall(c, p); err != nil {
		return false, err
	}
	if p.ID != "" {
		i.known[p.ID] = c.attempt.recording
	}
	i.before, next.recordedIn = next, c.attempt.recording
	if next.drop(); next.dropped {
		next.recordedIn.listed.leaveDetails()
	}
	return true, nil
}

// read reads the request of a call; nil if it is none.
func (i *Importer) read(before *continued, c *call, k *storedRequest, p *PastCall) (*continued, error) {
	if p.Whole != nil {
		return before.next(c, k, p)
	}
	q, err := c.read(k, p.Header, p.Body)
	if q == nil || err != nil {
		return nil, err
	}
	inMessages := 0
	if k.Redacted > 0 {
		value, err := wire.Read(p.Body)
		if err != nil {
			return nil, err
		}
		list, _ := value.Value.Get(provider.ListOf(c.api))
		_, inMessages = c.hide.value(list)
	}
	return newContinued(q, inMessages), nil
}

// endCall records how a call ended.
func (i *Importer) endCall(c *call, p PastCall) error {
	if p.Attrs != nil {
		value, err := canon.Encode(p.Attrs)
		if err != nil {
			return err
		}
		c.logged = value.Any()
	}
	if p.Answer == nil && p.Status < http.StatusBadRequest {
		return c.finish(pact.Outcome{Status: history.Completed}, canon.Any{}, c.withLogged(canon.Object()), &provider.Answer{})
	}
	if streamed(p.Answer) {
		c.header.Set("Content-Type", "text/event-stream")
	}
	return c.answer(bytes.NewReader(p.Answer), "", nil, false)
}

// streamed reports whether an answer is a stream of events: logs often lack its
// headers, and JSON begins otherwise.
func streamed(answer []byte) bool {
	text := strings.TrimLeft(string(answer[:min(len(answer), 64)]), "\uFEFF\r\n")
	return strings.HasPrefix(text, "data:") || strings.HasPrefix(text, "event:") || strings.HasPrefix(text, ":")
}

// setTime sets the time to the first of these that is known.
func (i *Importer) setTime(times ...int64) {
	for _, t := range times {
		if t > 0 {
			i.now = t
			return
		}
	}
}

// AddUnsent puts the request that the next call would send, and that the log lacks, into the working state: the
// messages after the last answer. It records no call. It reports false, and changes nothing, if Add left out erased calls,
// whose texts the messages may repeat, or if these belong to no context: their call may continue one, as after a compaction.
func (i *Importer) AddUnsent(ctx context.Context, apiName string, body []byte) (added bool, err error) {
	err = i.raced(ctx, func(bool) (err error) {
		added, err = i.addUnsent(ctx, apiName, body)
		return err
	})
	return added, err
}

func (i *Importer) addUnsent(ctx context.Context, apiName string, body []byte) (bool, error) {
	value, err := canon.ParseAny(body)
	if err != nil {
		return false, err
	}
	request, ok := provider.ReadRequest(provider.API(apiName), value)
	if !ok {
		return false, fault.New(fault.DocumentInvalid, "the messages at the end of the log are no request to "+apiName,
			"leave them out, or give them as that API takes them")
	}
	q := requestOf(request, group{})
	if len(i.recorder.recordings.list) > 0 {
		c, err := i.recorder.choose(ctx, q)
		if err != nil || c.recording == nil || c.fork || i.skippedErased > 0 {
			return false, err
		}
	}
	i.recorder.at = 0 // right behind what the context has, also if an earlier import had all calls
	l, _, err := i.recorder.recordingFor(ctx, q)
	if err != nil {
		return false, err
	}
	edit, note, err := l.bring(ctx, q)
	if err != nil || edit == nil {
		return err == nil, err
	}
	err = l.c.Edit(ctx, edit, &pact.Note{Message: note})
	if errors.Is(err, fault.Sealed) { // somebody committed by hand what the messages lack, and their call begins a fork
		return false, nil
	}
	i.recorder.goesTo(l, q)
	return err == nil, err
}

// wasErased returns where a call was recorded before an erasure took it, nil for nowhere.
func (i *Importer) wasErased(ctx context.Context, id string) (*recording, error) {
	if id == "" || len(i.erased) == 0 {
		return nil, nil
	}
	keyed, err := i.recorder.store.Keyed(ctx, id)
	return i.erased[keyed], err
}

// Erased returns how many calls Add left out because they were erased after an earlier import.
func (i *Importer) Erased() int { return i.skippedErased }

// AnswersAbsent returns how many answers Add took that the request behind them left out, or has in other words, so that no
// snapshot has them; and of how many that holds of parts.
func (i *Importer) AnswersAbsent() (whole, inPart int) { return i.answersAbsent, i.answersInPart }

// Skips says why Add would leave out a call with this ID, if it would: the call is recorded, or it was erased and is to
// stay so. No call has the ID "". The errors are those of the store.
func (i *Importer) Skips(ctx context.Context, id string) (recorded, erased bool, err error) {
	if id == "" || i.known[id] != nil {
		return id != "", false, nil
	}
	l, err := i.wasErased(ctx, id)
	return false, l != nil && !i.options.Again, err
}

// Contexts returns the names of all contexts of the import, those that earlier
// imports made included.
func (i *Importer) Contexts() []string {
	var names []string
	for _, l := range i.recorder.recordings.list {
		names = append(names, l.name)
	}
	return names
}
