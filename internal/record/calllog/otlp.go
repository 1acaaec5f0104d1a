package calllog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// The lists of OTLP in JSON, with the names of Tempo and of programs that write the names of the fields.
var (
	resourceSpans = []string{"resourceSpans", "resource_spans", "batches"}
	resourceLogs  = []string{"resourceLogs", "resource_logs"}
)

// isOTLP reports whether a value is an export of spans, or of the logs that belong to them, in OTLP JSON.
func isOTLP(first raw) bool {
	f := first.fields()
	spans, _ := f.first(resourceSpans...)
	logs, _ := f.first(resourceLogs...)
	return spans.kind() == canon.KindArray || logs.kind() == canon.KindArray
}

// span is a span with its events.
type span struct {
	line         int
	trace, id    string
	parent, name string
	start, end   int64
	attributes
	events  []spanEvent
	failure string // what the status says of a span that failed
	inner   bool   // a call is told by a span below it
	unasked bool   // a call without what was sent
}

// spanEvent is an event of a span, or a log that belongs to one.
type spanEvent struct {
	name string
	at   int64
	attributes
	body canon.Any
}

// traces collects the spans of a log.
type traces struct {
	spans []*span
	byID  map[string]*span // by trace and id
	alone map[string]int   // how many calls each trace has
	found *findings
}

// readOTLP reads the spans that programs export of their calls to models, by the conventions of OpenTelemetry for
// generative AI in each of their forms, or those of OpenInference. A conversation, or a trace without one, is a
// session, and so is each sub-agent.
func readOTLP(list []record, found *findings) []Session {
	t := traces{byID: map[string]*span{}, alone: map[string]int{}, found: found}
	for _, e := range list {
		t.read(e)
	}
	t.mark()
	for _, s := range t.spans {
		if s.calls() && !s.inner {
			t.alone[s.trace]++
		}
	}
	var order []string
	made := map[string]*Session{}
	for _, s := range t.spans {
		if !s.calls() {
			continue
		}
		if s.inner {
			found.add(s.line, "a span around another one was left out: both tell of one call")
			continue
		}
		c, lacks, ok := s.call(found)
		if !ok {
			found.add(s.line, "a call was left out, because its span has no messages: the program did not capture them")
			continue
		}
		if c.answered.size > 0 && s.unasked {
			found.add(s.line, "a call has its answer alone: the program did not capture what was sent")
		}
		name, begun := t.session(s)
		if made[name] == nil {
			made[name] = &Session{Name: name, Exact: Rebuilt, BegunBy: begun, API: c.API, Missing: lacks}
			order = append(order, name)
		}
		if len(lacks) > len(made[name].Missing) {
			made[name].Missing = lacks
		}
		made[name].Calls = append(made[name].Calls, c)
	}
	sessions := make([]Session, 0, len(order))
	for _, name := range order {
		inOrder(made[name].Calls)
		sessions = append(sessions, *made[name])
	}
	return sessions
}

// read takes the spans and logs of one export.
func (t *traces) read(e record) {
	f := e.fields()
	spans, _ := f.first(resourceSpans...)
	logs, _ := f.first(resourceLogs...)
	if spans == nil && logs == nil {
		t.found.add(e.line, "it holds no spans, so it was left out")
		return
	}
	for _, resource := range spans.elems() {
		scopes, _ := resource.fields().first("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
		for _, scope := range scopes.elems() {
			for _, r := range scope.fields()["spans"].elems() {
				t.span(e.line, r.fields())
			}
		}
	}
	for _, resource := range logs.elems() {
		scopes, _ := resource.fields().first("scopeLogs", "scope_logs")
		for _, scope := range scopes.elems() {
			records, _ := scope.fields().first("logRecords", "log_records")
			for _, r := range records.elems() {
				t.log(e.line, r.fields())
			}
		}
	}
}

// of returns a span of which an export tells, a new one if none has told of it.
func (t *traces) of(f fields, line int) *span {
	trace, id := f.text("traceId", "trace_id"), f.text("spanId", "span_id")
	key := trace + "/" + id
	if s := t.byID[key]; s != nil && id != "" {
		return s
	}
	s := &span{line: line, trace: trace, id: id}
	t.byID[key] = s
	t.spans = append(t.spans, s)
	return s
}

func (t *traces) span(line int, f fields) {
	s := t.of(f, line)
	if s.name != "" {
		t.found.add(line, "a span is there twice; it was read once")
		return
	}
	s.name, s.parent = cmp.Or(f.text("name"), "span"), f.text("parentSpanId", "parent_span_id")
	start, _ := f.first("startTimeUnixNano", "start_time_unix_nano")
	end, _ := f.first("endTimeUnixNano", "end_time_unix_nano")
	s.start, s.end = timeOf(start.value()), timeOf(end.value())
	s.attributes = attributesOf(f["attributes"])
	status := f["status"].fields()
	if code := string(status["code"]); code == "2" || strings.Contains(code, "ERROR") {
		s.failure = cmp.Or(status.text("message"), s.text("error.message", "error.type"), "the span failed")
	}
	for _, r := range f["events"].elems() {
		f := r.fields()
		at, _ := f.first("timeUnixNano", "time_unix_nano")
		s.event(spanEvent{f.text("name"), timeOf(at.value()), attributesOf(f["attributes"]), canon.Any{}})
	}
}

// log takes a log: newer programs write messages as logs of a span and not as its events.
func (t *traces) log(line int, f fields) {
	at, _ := f.first("timeUnixNano", "time_unix_nano", "observedTimeUnixNano")
	e := spanEvent{at: timeOf(at.value()), attributes: attributesOf(f["attributes"]), body: anyValue(f["body"], 0)}
	e.name = cmp.Or(f.text("eventName", "event_name"), e.text("event.name"))
	if !strings.HasPrefix(e.name, "gen_ai.") {
		return
	}
	s := t.of(f, line)
	if s.start == 0 {
		s.start = e.at
	}
	s.event(e)
}

// event adds an event. One that has all details of a call has them as attributes.
func (s *span) event(e spanEvent) {
	if s.attributes == nil {
		s.attributes = attributes{}
	}
	switch e.name {
	case "gen_ai.client.inference.operation.details":
		for name, v := range e.attributes {
			s.attributes[name] = v
		}
		for _, m := range e.body.Members {
			s.attributes[m.Name] = m.Value
		}
	case "gen_ai.content.prompt":
		s.attributes["gen_ai.input.messages"] = e.json("gen_ai.prompt")
	case "gen_ai.content.completion":
		s.attributes["gen_ai.output.messages"] = e.json("gen_ai.completion")
	case "exception":
		s.failure = cmp.Or(e.text("exception.message"), s.failure)
	default:
		s.events = append(s.events, e)
	}
}

// above returns the span that a span is a part of, nil if the log has none.
func (t *traces) above(s *span) *span {
	if s.parent == "" || s.parent == s.id {
		return nil
	}
	return t.byID[s.trace+"/"+s.parent]
}

// kind returns what a span is about: the operation or the kind that the conventions give it, in small letters.
func (s *span) kind() string {
	return strings.ToLower(s.text("openinference.span.kind", "gen_ai.operation.name", "llm.request.type",
		"traceloop.span.kind"))
}

// callKinds are the kinds of spans that are a call to a model.
var callKinds = []string{"llm", "chat", "completion", "text_completion", "generate_content", "generate", "responses"}

// calls reports whether a span tells of a call to a model.
func (s *span) calls() bool {
	if kind := s.kind(); kind != "" {
		return slices.Contains(callKinds, kind)
	}
	for _, e := range s.events {
		if e.name == "gen_ai.choice" || e.name == "gen_ai.user.message" {
			return true
		}
	}
	return s.text("gen_ai.request.model", "llm.model_name") != "" && !strings.Contains(s.name, "embed")
}

// mark finds the spans around a call that tell of the same call, such as that of a framework around that of a client. A
// call below the work of a tool or an agent is another one.
func (t *traces) mark() {
	for _, s := range t.spans {
		for up, n := t.above(s), 0; s.calls() && up != nil && n < mostAbove && !up.works(); up, n = t.above(up), n+1 {
			up.inner = true
		}
	}
}

// works reports whether a span tells of the work of a tool or an agent.
func (s *span) works() bool {
	kind := s.kind()
	return s.agents() || kind == "tool" || kind == "execute_tool"
}

// agents reports whether a span tells of the work of an agent.
func (s *span) agents() bool { kind := s.kind(); return kind == "agent" || kind == "invoke_agent" }

// lonely is the session of calls that are each the only one of their trace, as clients without a framework around them
// write them. Which of them belong together their messages tell.
const lonely = "calls"

// mostAbove is how many spans around one are looked at: a damaged log can have them in a circle.
const mostAbove = 256

// session returns the session of a call: the conversation that it or a span around it names, else the trace. A
// sub-agent, which is an agent within another one, has one of its own, begun by the call of the tool between them.
func (t *traces) session(s *span) (name string, begun *ParentCall) {
	conversation, agents, call := "", []*span{}, ""
	for at, n := s, 0; at != nil && n < mostAbove; at, n = t.above(at), n+1 {
		conversation = cmp.Or(conversation, at.text("gen_ai.conversation.id", "session.id"))
		if at.agents() {
			agents = append(agents, at)
		} else if id := at.text("gen_ai.tool.call.id", "tool_call.id", "tool.id"); id != "" && len(agents) == 1 {
			call = id
		}
	}
	if conversation == "" && t.alone[s.trace] < 2 && len(agents) == 0 {
		return lonely, nil
	}
	name = nameOf(cmp.Or(conversation, s.trace, "trace"))
	if len(agents) > 1 && agents[0].text("gen_ai.agent.id", "gen_ai.agent.name", "agent.name") !=
		agents[1].text("gen_ai.agent.id", "gen_ai.agent.name", "agent.name") {
		return name + "/" + nameOf(cmp.Or(agents[0].text("gen_ai.agent.name", "agent.name"), "agent")+"-"+agents[0].id),
			&ParentCall{name, call}
	}
	return name, nil
}

// longestName is how long the name of a session may be that a log gives.
const longestName = 80

// nameOf makes the name of a session of an id, whatever it has in it.
func nameOf(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' && r < 128 {
			return r
		}
		return '-'
	}, id)
	if len(name) > longestName { // what it begins with may be that of another one
		sum := sha256.Sum256([]byte(id))
		name = name[:longestName-9] + "-" + hex.EncodeToString(sum[:4])
	}
	return strings.Trim(name, ".")
}
