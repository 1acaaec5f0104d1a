package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Turn is a provider's answer to one request.
type Turn struct {
	Thinking string
	Text     string
	Calls    []Call
	Refusal  string // the model's words of refusal, in place of Text

	Status   int  // HTTP status of a refused request; 0 stands for 200
	Overload bool // the stream ends with a provider error
	Cut      bool // the stream ends in the middle of an event
	Hold     bool // the stream stops after half of its events until the client disconnects; what is no stream never comes
	NoUsage  bool

	After  time.Duration // the answer begins so much later
	Unless string        // the turn is left out of the script if the body of the request has this
}

// Call is a call of a tool.
type Call struct {
	ID, Name, Arguments string // Arguments are a JSON object
	Namespace           string // of a tool of OpenAI's Responses that stands in one
}

// Received is one request that arrived, and what the provider counted of it.
type Received struct {
	Path   string
	Header http.Header
	Body   []byte

	Refused                  string // why it breaks a rule of the API, "" if it does not
	Sent, Read, Written, Out int    // tokens; 0 of a request that got no answer
}

// Provider answers requests by a script, one turn each. It is safe for
// concurrent use; concurrent requests take turns in the order of their arrival.
type Provider struct {
	mu       sync.Mutex
	script   []Turn
	asides   []aside
	received []Received
	cache    cache
	now      func() time.Time
	asked    map[string]asked // requests that asked about the cache, by the ids of their answers
	thoughts thoughts         // what was sent before the thinking of answers
	dropped  int
	needTool bool
	plain    bool // it knows no context_management
	held     atomic.Int64
}

// New returns a provider with a script. It answers "ok" to requests after the
// end of the script.
func New(script ...Turn) *Provider { return &Provider{script: script, now: time.Now} }

// aside is a script for some requests.
type aside struct {
	is     func(body []byte) bool
	script []Turn
}

// Aside answers the requests for which is reports true by a script of their own, such as those of a sub-agent.
func (p *Provider) Aside(is func(body []byte) bool, script ...Turn) {
	p.asides = append(p.asides, aside{is, script})
}

// ForTools leaves the script, not those of Aside, to requests that have tools: it answers "ok" to the others, with which
// agents ask for titles and the like beside their work.
func (p *Provider) ForTools() { p.needTool = true }

// KnowsNoEdits has it refuse requests that ask it to leave something out, as other servers of the API do.
func (p *Provider) KnowsNoEdits() { p.plain = true }

// Clock sets the clock that measures how long prefixes stay cached; the
// system's by default.
func (p *Provider) Clock(now func() time.Time) { p.now = now }

// Received returns the requests that have arrived.
func (p *Provider) Received() []Received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.received)
}

// Then replaces what is left of the script.
func (p *Provider) Then(script ...Turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = script
}

// Held returns how many streams have stopped half way.
func (p *Provider) Held() int { return int(p.held.Load()) }

// Left returns how many turns of the script are still to be asked for.
func (p *Provider) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.script)
}

// refusal says why the provider refuses a request.
type refusal struct {
	status        int
	kind, message string
}

// object is a JSON object.
type object = map[string]any

// dialect is how one API reads requests and writes answers.
type dialect struct {
	path    func(path string) bool
	key     func(http.Header) string
	noKey   refusal
	check   func(http.Header, object) *refusal
	refuse  func(refusal) object
	answer  func(*reply) object
	stream  func(*reply) []event
	streams func(path string, body object) bool
}

// event is an event of a stream: its name, where the API names events, and its
// data.
type event struct {
	name string
	data any
}

var dialects = []dialect{chatDialect, responsesDialect, messagesDialect, geminiDialect}

func bearer(h http.Header) string {
	key, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	return key
}

func streamField(_ string, body object) bool { return body["stream"] == true }

// reply is an answer in the making.
type reply struct {
	Turn
	path  string
	body  object
	usage usage
	id    string
	// what the answer says about the cache, if the request asked
	diagnosis object
	edited    []object // what was cleared of the request
}

// usage counts tokens, of four bytes each.
type usage struct{ sent, read, written, hour, out int }

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		w.WriteHeader(http.StatusUpgradeRequired) // it speaks no WebSockets
		return
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client disconnected
	}
	p.mu.Lock()
	p.received = append(p.received, Received{Path: r.URL.Path, Header: r.Header.Clone(), Body: text})
	number := len(p.received)
	p.mu.Unlock()
	w.Header().Set("Request-Id", "req_"+strconv.Itoa(number))
	at := slices.IndexFunc(dialects, func(d dialect) bool { return r.Method == "POST" && d.path(r.URL.Path) })
	if at < 0 {
		write(w, http.StatusNotFound, object{"error": object{"message": "Not found"}})
		return
	}
	d := dialects[at]
	if d.key(r.Header) == "" && r.URL.Query().Get("key") == "" {
		write(w, d.noKey.status, d.refuse(d.noKey))
		return
	}
	var body object
	if err := json.Unmarshal(text, &body); err != nil {
		write(w, 400, d.refuse(refusal{400, "invalid_request_error", "We could not parse the JSON body of your request."}))
		return
	}
	refused := d.check(r.Header, body)
	if refused == nil && p.plain && body["context_management"] != nil {
		refused = invalid("context_management: Extra inputs are not permitted")
	}
	if refused == nil {
		refused = checkSignatures(r.URL.Path, body)
	}
	if refused == nil {
		refused = p.bind(r.URL.Path, body)
	}
	if refused != nil {
		p.mu.Lock()
		p.received[number-1].Refused = refused.message
		p.mu.Unlock()
		write(w, refused.status, d.refuse(*refused))
		return
	}
	answer := p.next(r.URL.Path, text, body, number)
	if answer.Hold && !d.streams(r.URL.Path, body) {
		p.held.Add(1)
		<-r.Context().Done()
		return
	}
	if answer.After > 0 {
		select {
		case <-time.After(answer.After):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case answer.Status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "0")
		write(w, answer.Status, d.refuse(refusal{answer.Status, "rate_limit_error", "Too many requests"}))
	case answer.Status != 0:
		write(w, answer.Status, d.refuse(refusal{answer.Status, "api_error", "Internal server error"}))
	case d.streams(r.URL.Path, body):
		answer.writeStream(r.Context(), w, &d, &p.held)
	default:
		write(w, http.StatusOK, d.answer(answer))
	}
}

// next takes the next turn of the script and counts the request's tokens.
func (p *Provider) next(path string, sent []byte, body object, number int) *reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := &reply{Turn: Turn{Text: "ok"}, path: path, body: body, id: strconv.Itoa(number)}
	script := &p.script
	for i := range p.asides {
		if p.asides[i].is(sent) {
			script = &p.asides[i].script
		}
	}
	for len(*script) > 0 && (*script)[0].Unless != "" && bytes.Contains(sent, []byte((*script)[0].Unless)) {
		*script = (*script)[1:]
	}
	if len(*script) > 0 && (script != &p.script || !p.needTool || len(list(body["tools"])) > 0) {
		a.Turn, *script = (*script)[0], (*script)[1:]
	}
	if a.Status == 0 {
		var seen object
		seen, a.edited = cleared(body)
		a.usage = p.cache.count(path, seen, p.now())
		a.diagnosis = p.diagnose(path, body, a.id)
		p.thinks(a)
		a.usage.out = tokens(a.Thinking) + tokens(a.Text) + tokens(a.Refusal) + len(a.Calls)
		r := &p.received[number-1]
		r.Sent, r.Read, r.Written, r.Out = a.usage.sent, a.usage.read, a.usage.written, a.usage.out
	}
	return a
}

func tokens(text string) int { return (len(text) + 3) / 4 }

func write(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // Encode fails only if the client disconnected
}

// writeStream writes the events of an answer one at a time.
func (a *reply) writeStream(ctx context.Context, w http.ResponseWriter, d *dialect, held *atomic.Int64) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	events := d.stream(a)
	if a.Cut || a.Overload {
		events = events[:len(events)/2]
	}
	if a.Overload {
		events = append(events, event{"error", d.refuse(refusal{529, "overloaded_error", "Overloaded"})})
	}
	for i, e := range events {
		if a.Hold && i == len(events)/2 {
			held.Add(1)
			<-ctx.Done()
			return
		}
		data, isText := e.data.(string)
		if !isText {
			encoded, err := json.Marshal(e.data)
			if err != nil {
				panic(err)
			}
			data = string(encoded)
		}
		if a.Cut && i == len(events)-1 {
			data = data[:len(data)/2]
		}
		if e.name != "" {
			_, _ = io.WriteString(w, "event: "+e.name+"\n")
		}
		_, _ = io.WriteString(w, "data: "+data)
		if a.Cut && i == len(events)-1 {
			panic(http.ErrAbortHandler) // the server then closes the connection
		}
		_, _ = io.WriteString(w, "\n\n")
		_ = http.NewResponseController(w).Flush()
	}
}

// list and member walk decoded JSON; a value of another kind counts as empty.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func member(v any, name string) any {
	o, _ := v.(object)
	return o[name]
}

func text(v any, name string) string {
	s, _ := member(v, name).(string)
	return s
}

func invalid(message string) *refusal { return &refusal{400, "invalid_request_error", message} }
