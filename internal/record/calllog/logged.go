package calllog

import (
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// The names under which programs and gateways log the parts of a call.
var (
	requestNames = []string{"request", "body", "request_body", "requestBody", "req", "reqPayload", "inputBodyJson",
		"payload", "request_json", "raw_request", "kwargs", "json", "params", "postData", "text", "data", "input"}
	answerNames = []string{"response", "answer", "response_body", "responseBody", "resp", "respPayload", "outputBodyJson",
		"raw_response", "completion", "output", "result"}
	urlNames     = []string{"url", "uri", "request_url", "path", "request_path", "endpoint", "target_url", "api_base"}
	statusNames  = []string{"status", "status_code", "statusCode", "response_status", "http_status", "code"}
	startedNames = []string{"startTime", "start_time", "startedDateTime", "started_at", "started", "request_time",
		"requestedAt", "request_created_at", "timestamp", "created_at", "createdAt", "time", "ts", "date"}
	endedNames = []string{"endTime", "end_time", "ended_at", "ended", "finished_at", "completed_at", "completed",
		"receivedAt", "response_created_at"}
	firstNames = []string{"completionStartTime", "completion_start_time", "first_token_at"}
	tookNames  = []string{"latency_ms", "duration_ms", "delay_ms", "elapsed_ms", "durationMs", "latencyMs"}
	idNames    = []string{"request_id", "requestId", "call_id", "custom_id", "litellm_call_id", "id", "uuid"}
	paramNames = []string{"model_parameters", "modelParameters", "optional_params", "invocation_params", "parameters"}
)

// deepest is how many objects may stand around a body in a log.
const deepest = 4

// logged is a call with how exactly the log has its request.
type logged struct {
	Call
	exact     Exactness
	addressed bool   // the log says to which API it went
	note      string // what is odd about it, "" for nothing
}

// callOf reads one value of a log of requests, nil if it holds no request.
func callOf(r raw) *logged {
	f := r.fields()
	c := &logged{exact: Reported}
	flat := false
	switch name := apiOf(f); {
	case f == nil:
		return nil
	case c.flat(f):
		flat = true
	case name == provider.Chat && endsWithAnswer(f["messages"]):
		return nil // a whole conversation, with the fields of the requests that it came from
	case name != "":
		c.API, c.Body = name, r
		c.Path = provider.PathOf(name, f.text("model"))
		return c
	case !c.request(f, 0):
		return nil
	}
	c.about(f)
	if c.answer(f, 0); flat {
		c.rebuildAnswer(f)
	}
	if v, _ := f.first(answerNames...); c.Answer == nil && c.Status < http.StatusBadRequest && !v.empty() {
		c.note = "its answer has no form that is known, so it was left out"
	} else {
		c.note = c.converted()
	}
	model := f.text("modelId", "model_id")
	if model != "" && c.API == provider.Messages && raw(c.Body).fields()["model"] == nil {
		c.Path = "/model/" + model + "/invoke" // Bedrock names the model in the path
	}
	failure := failureOf(f)
	if c.Answer == nil && failure.Kind != canon.KindAbsent {
		c.Answer = canon.Object(canon.Member{Name: "error", Value: failure}).AppendTo(nil)
	}
	if c.Answer != nil && c.Status == 0 && failure.Kind == canon.KindAbsent {
		c.Status = http.StatusOK
	}
	if c.Started == 0 {
		c.Started = createdAt(c.Answer)
	}
	return c
}

// createdAt returns when an answer of OpenAI says that it was begun: a chat completion in created, a
// response in created_at, a stream in its first event. It is 0 where the answer does not say.
func createdAt(answer []byte) int64 {
	f := firstEvent(answer)
	for _, name := range []string{"created", "created_at"} {
		if v := f[name]; v.kind() == canon.KindNumber {
			return timeOf(v.value())
		}
	}
	return 0
}

// endsWithAnswer reports whether the last message is the model's. A request ends
// with a message of another role.
func endsWithAnswer(messages raw) bool {
	list := messages.elems()
	return len(list) > 0 && list[len(list)-1].fields()["role"].text() == "assistant"
}

// flat reads a call whose model, messages and parameters a gateway logs beside
// the answer, as LiteLLM and Langfuse do.
func (c *logged) flat(f fields) bool {
	answer, _ := f.first(answerNames...)
	generation := strings.EqualFold(f.text("type"), "generation")
	if answer == nil && f["call_type"] == nil && !generation || f.text("model") == "" {
		return false
	}
	f = maps.Clone(f)
	f["input"] = unpacked(f["input"])
	var members []canon.Member
	add := func(g fields) {
		for name, v := range g {
			members = append(members, canon.Member{Name: name, Value: v.value()})
		}
	}
	params, _ := f.first(paramNames...)
	add(params.fields())
	add(fields{"model": f["model"]})
	switch input := f["input"]; {
	case f["messages"].kind() == canon.KindArray:
		add(fields{"messages": f["messages"]})
		if f["tools"] != nil {
			add(fields{"tools": f["tools"]})
		}
	case input.kind() == canon.KindObject && input.fields()["messages"] != nil:
		add(input.fields())
	case chatList(input):
		add(fields{"messages": input})
	case input.kind() == canon.KindArray || strings.Contains(f.text("call_type"), "responses"):
		add(fields{"input": input})
	default:
		return false
	}
	c.Body = canon.Object(members...).AppendTo(nil)
	c.API = apiOf(raw(c.Body).fields())
	c.Path = provider.PathOf(c.API, f.text("model"))
	if at, err := url.Parse(f.text("api_base")); err == nil {
		c.Host = at.Host
	}
	return c.API != ""
}

// unpacked returns the list or object that a text holds, as exports of tables have them, else the value.
func unpacked(r raw) raw {
	if text := raw(strings.TrimSpace(r.text())); (text.kind() == canon.KindArray || text.kind() == canon.KindObject) &&
		text.value().Kind != canon.KindAbsent {
		return text
	}
	return r
}

// chatList reports whether a value is a list of messages of a chat completion,
// and not of items of a response.
func chatList(r raw) bool {
	list := r.elems()
	for _, e := range list {
		if f := e.fields(); f["role"] == nil || f["type"] != nil && f["type"].text() == "message" {
			return false
		}
	}
	return len(list) > 0
}

// request finds the body of the request in an object or in one that it holds.
func (c *logged) request(f fields, depth int) bool {
	if !c.readDestination(f) {
		return false
	}
	for _, name := range requestNames {
		v := f[name]
		exact := c.exact
		if text := v.text(); text != "" {
			if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") || raw(text).value().Kind == canon.KindAbsent {
				continue
			}
			v, exact = raw(v.text()), Wire
		}
		body := v.fields()
		if body == nil {
			continue
		}
		guess := apiOf(body)
		if c.API != "" && holdsParts(c.API, body) {
			guess = c.API
		}
		if guess == "" {
			if depth < deepest && c.request(body, depth+1) {
				return true
			}
			continue
		}
		if c.Path != "" && f["headers"] != nil {
			exact = Wire
		}
		c.API, c.Body, c.exact = guess, v, exact
		if c.Path == "" {
			c.Path = provider.PathOf(guess, body.text("model"))
		}
		return true
	}
	return false
}

// holdsParts reports whether a body has the list that requests to an API have.
func holdsParts(name provider.API, body fields) bool {
	switch name {
	case provider.Gemini:
		return body["contents"] != nil
	case provider.Responses:
		return body["input"] != nil || body["previous_response_id"] != nil || body["prompt"] != nil
	}
	return body["messages"] != nil
}

// noCalls are the ends of paths whose bodies look like calls and are none.
var noCalls = []string{"/count_tokens", ":countTokens", "/batches", "/embeddings", "/input_tokens", "/moderations"}

// readDestination reads where a request went. It returns false for a request that asks for something else than an
// answer of a model, such as a count of tokens.
func (c *logged) readDestination(f fields) bool {
	if method := f.text("method", "request_method", "http_method"); method != "" && !strings.EqualFold(method, "POST") {
		return false
	}
	if at, err := url.Parse(f.text(urlNames...)); err == nil && at.Path != "" {
		path := strings.TrimSuffix(at.Path, "/")
		for _, end := range noCalls {
			if strings.HasSuffix(path, end) {
				return false
			}
		}
		if name := provider.APIOf(http.MethodPost, at.Path); name != "" {
			c.API, c.Path, c.addressed = name, at.Path, true
		}
		if at.Host != "" {
			c.Host = at.Host
		}
	}
	if c.Host == "" {
		c.Host = f.text("host")
	}
	for name, values := range headersOf(f["headers"]) {
		if c.Header == nil {
			c.Header = http.Header{}
		}
		c.Header[name] = values
	}
	return true
}

// headersOf reads headers: an object, or the list of pairs of HAR. It leaves out
// the encoding of the body, because logs have the body decoded.
func headersOf(r raw) http.Header {
	h := http.Header{}
	for name, v := range r.fields() {
		if text := v.text(); text != "" {
			h.Set(name, text)
		}
		for _, e := range v.elems() {
			h.Add(name, e.text())
		}
	}
	for _, e := range r.elems() {
		if f := e.fields(); f.text("name") != "" {
			h.Add(f.text("name"), f.text("value"))
		}
	}
	h.Del("Content-Encoding")
	return h
}

// about reads the id, the times and the attributes of a call.
func (c *logged) about(f fields) {
	c.ID = f.text(idNames...)
	times := func(names []string) (ns int64) {
		for _, name := range names {
			if ns == 0 && f[name] != nil {
				ns = timeOf(f[name].value())
			}
		}
		return ns
	}
	c.Started, c.Ended, c.FirstByte = times(startedNames), times(endedNames), times(firstNames)
	if c.Ended == 0 && c.Started > 0 {
		for _, name := range tookNames {
			if took := milliseconds(f[name].value()); took > 0 {
				c.Ended = c.Started + took
				break
			}
		}
	}
	for _, name := range attrNames {
		if v := f[name]; !v.empty() && len(v) <= longestAttr {
			c.attr(name, v.value())
		}
	}
}

// attrNames are the members of a log that people ask for and that hold no keys.
var attrNames = []string{"trace_id", "traceId", "session_id", "sessionId", "conversation_id", "user", "end_user",
	"response_cost", "cost", "calculatedTotalCost", "totalCost", "costDetails", "cache_hit", "call_type",
	"custom_llm_provider", "tags", "request_tags", "name", "environment"}

// longestAttr is how many bytes of JSON such a member may have.
const longestAttr = 4 << 10
