package provider

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// MaxAnswer is how many bytes of an answer an Assembler reads, before and after
// decompression. It ignores the rest.
const MaxAnswer = 64 << 20

// Answer is the answer of a provider.
type Answer struct {
	API       API
	Status    int       // HTTP status
	ID        string    // the provider's id of the answer
	RequestID string    // the provider's id of the request, for its support
	Model     string    // the model that answered
	Content   canon.Any // in the form that AnswerParts reads; absent if there is none
	Finish    string    // why the model stopped, in the provider's word
	Refusal   string    // the model's words of refusal, or why the provider blocked the request
	Usage     Usage
	CacheMiss canon.Any   // the provider's reason for not reading all of its cache; absent without one
	Changed   []canon.Any // what the provider says it changed in the request before the model saw it
	Failure   string      // why there is no answer or only part of one; "" for a whole answer
	BrokeOff  bool        // the only Failure is that the bytes ended early
	// Contradicts says that it counts more tokens from or to the cache than came in: Usage has none of these counts.
	Contradicts bool
}

// Body writes an answer as the body that the API would have sent, for logs that have what it says and
// not its bytes. It writes the id, the model, the content, the finish and the tokens, or else the failure. Of an answer
// that failed with a part of its content it names no finish, so that it reads as a part.
func (a *Answer) Body() canon.Any {
	if a.Failure != "" && a.Content.Kind == canon.KindAbsent {
		return canon.Fields("error", canon.Fields("message", a.Failure))
	}
	return entryOf(a.API).body(a)
}

// Usage is how many tokens a call took by the provider's count, nil where the
// provider gives none.
type Usage struct {
	In        *int64 // all that the model received, including what came from the cache
	Out       *int64 // all that the model wrote, including its reasoning
	Cached    *int64 // of In, read from the cache
	Written   *int64 // of In, written to the cache
	Written5m *int64 // of Written, for a lifetime of five minutes
	Written1h *int64 // of Written, for a lifetime of one hour
	Reasoning *int64 // of Out
	// Terms are those on which the provider answered, in its words, such as fast or flex, or what it charges besides
	// tokens: they have another price. "" for its ordinary terms.
	Terms string
}

// Assembler assembles an answer. It is an io.Writer that accepts every byte.
type Assembler struct {
	answer   Answer
	encoding string
	stream   bool
	body     []byte // of an answer that Close reads as a whole: JSON, or compressed
	size     int    // bytes so far
	events   events
	reader   answerReader
	progress progress
}

// answerReader assembles the events of one API.
type answerReader interface {
	// event takes the data of one event of a stream.
	event(data canon.Any)
	// wholeBody takes an answer that is not a stream.
	wholeBody(body canon.Any)
	// fill copies what has arrived into the answer.
	fill(*Answer)
}

// New returns an Assembler for the answer to one request, given the answer's
// status and headers.
func NewAssembler(name API, status int, header http.Header) *Assembler {
	a := &Assembler{encoding: encodingOf(header), stream: streamed(header), reader: entryOf(name).newAnswer(),
		progress: progress{ending: entryOf(name).ending}}
	a.answer = Answer{API: name, Status: status}
	for _, field := range []string{"Request-Id", "X-Request-Id", "X-Amzn-Requestid", "Apim-Request-Id"} {
		if id := header.Get(field); id != "" && a.answer.RequestID == "" {
			a.answer.RequestID = id
		}
	}
	a.events.dispatch = a.dispatch
	return a
}

// Write takes the next bytes of the answer. It keeps no part of p.
func (a *Assembler) Write(p []byte) (int, error) {
	taken := p[:min(len(p), MaxAnswer-a.size)]
	a.size += len(taken)
	if a.stream && uncompressed(a.encoding) {
		a.events.write(taken)
	} else {
		a.body = append(a.body, taken...)
	}
	if len(taken) < len(p) {
		a.Fail("the answer has more than " + strconv.Itoa(MaxAnswer) + " bytes, of which the first were read")
	}
	return len(p), nil
}

// Close ends the answer and returns it. broken says why the bytes ended early,
// nil if they did not; it does not matter if the answer is whole.
func (a *Assembler) Close(broken error) Answer {
	body, unread := a.decoded()
	if a.stream {
		a.events.write(body)
	} else if len(body) > 0 {
		if err := a.readWhole(body); unread == nil && err != nil {
			unread = fmt.Errorf("the answer is not JSON: %w", err)
		}
	}
	a.reader.fill(&a.answer)
	if u := &a.answer.Usage; u.In != nil && *u.In == 0 { // every request has tokens: a program wrote 0 for what it was not told
		if *u = (Usage{Out: u.Out, Reasoning: u.Reasoning, Terms: u.Terms}); u.Out != nil && *u.Out == 0 {
			*u = Usage{}
		}
	} else if part := sum(u.Cached, u.Written); u.In != nil && part != nil && *part > *u.In {
		a.answer.Contradicts, *u = true, Usage{Out: u.Out, Reasoning: u.Reasoning, Terms: u.Terms}
	}
	switch {
	case a.answer.Status >= 400 && (broken != nil || unread == nil):
		a.Fail("HTTP " + strconv.Itoa(a.answer.Status))
	case a.answer.Status >= 400:
		a.Fail("HTTP " + strconv.Itoa(a.answer.Status) + ": " + unread.Error())
	case a.progress.complete() && (unread == nil || errors.Is(unread, io.ErrUnexpectedEOF)):
	case broken != nil:
		a.answer.BrokeOff = a.answer.Failure == ""
		a.Fail("the answer broke off: " + broken.Error())
	case unread != nil:
		a.Fail(unread.Error())
	default:
		a.Fail("the answer ended before it was whole")
	}
	return a.answer
}

// decoded returns the bytes that are still unread, decompressed as far as
// possible, and why that is not all of them.
func (a *Assembler) decoded() ([]byte, error) {
	switch {
	case len(a.body) == 0 || uncompressed(a.encoding):
		return a.body, nil
	case a.encoding != "gzip":
		return nil, errors.New("the answer is compressed in a way that is not read: " + a.encoding)
	}
	unzip, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be decompressed: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(unzip, MaxAnswer+1))
	if len(body) > MaxAnswer {
		body, err = body[:MaxAnswer], errors.New("it has too many bytes")
	}
	if err != nil {
		err = fmt.Errorf("the answer cannot be decompressed: %w", err)
	}
	return body, err
}

// Fail notes why the answer is none or only a part of one, unless an earlier reason is noted.
func (a *Assembler) Fail(why string) {
	if a.answer.Failure == "" {
		a.answer.Failure = why
	}
}

// readWhole reads an answer that is not a stream. For a stream that was not
// requested as events, Gemini writes a list of chunks.
func (a *Assembler) readWhole(body []byte) error {
	value, err := canon.ParseAny(body)
	switch {
	case err != nil:
	case value.Kind == canon.KindArray:
		for _, chunk := range value.Elems {
			a.chunk(chunk)
		}
	case a.failed(value):
	default:
		a.progress.event(value)
		// such a body is written when the answer is over, unless it says that nothing ended it
		stop, _ := value.Get("stop_reason")
		a.progress.over = a.progress.over || a.progress.types != nil && stop.Kind != canon.KindNull
		a.reader.wholeBody(value)
	}
	return err
}

// dispatch reads the data of one event.
func (a *Assembler) dispatch(data []byte) {
	if a.progress.data != "" && string(data) == a.progress.data {
		a.progress.over = true
		return
	}
	value, err := canon.ParseAny(data)
	if err != nil {
		a.Fail("an event is not JSON: " + err.Error())
		return
	}
	a.chunk(value)
}

func (a *Assembler) chunk(value canon.Any) {
	if !a.failed(value) {
		a.progress.event(value)
		a.reader.event(value)
	}
}

// failed reads an error; all four APIs share its form.
func (a *Assembler) failed(value canon.Any) bool {
	problem, ok := value.Get("error")
	if text(value, "type") == "error" && !ok {
		problem, ok = value, true // an error event of Responses
	}
	if !ok || problem.Kind == canon.KindNull {
		return false
	}
	if _, ok := value.Get("object"); ok {
		return false // a Responses answer that carries its own error
	}
	a.Fail(problemText(problem))
	return true
}

// problemText returns a provider's error as text: its type or code, and its
// message.
func problemText(problem canon.Any) string {
	if problem.Kind == canon.KindString {
		return problem.Text
	}
	var words []string
	for _, name := range []string{"type", "status", "code", "message"} {
		if word := text(problem, name); word != "" && word != "error" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "the provider reports an error"
	}
	return strings.Join(words, ": ")
}

// compactions returns the parts of an answer which say that a summary replaced
// what the client sent.
func compactions(parts []canon.Any) (list []canon.Any) {
	for _, part := range parts {
		if kind, _ := part.Get("type"); kind.Text == "compaction" {
			list = append(list, canon.Object(canon.Member{Name: "type", Value: kind}))
		}
	}
	return list
}

// mostCounted is the largest number of tokens that anybody is believed. The sum of three stays below
// history.MaxTokens, which an attempt may have.
const mostCounted = 1 << 40

// count returns a number of tokens, nil if there is none.
func count(v canon.Any, path ...string) *int64 { return Count(get(v, path...)) }

// Count returns a number of tokens: a whole number from 0 to 2^40, which programs also write as 12.0 or as a text. It is
// nil for anything else.
func Count(v canon.Any) *int64 {
	if v.Kind != canon.KindNumber && v.Kind != canon.KindString {
		return nil
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if f, fails := strconv.ParseFloat(v.Text, 64); err != nil && fails == nil && f == math.Trunc(f) && f <= 1<<53 {
		n, err = int64(f), nil
	}
	if err != nil || n < 0 || n > mostCounted {
		return nil
	}
	return &n
}

// sum adds the counts that are known; nil if none is.
func sum(counts ...*int64) *int64 {
	var total *int64
	for _, n := range counts {
		if n != nil && total == nil {
			total = new(int64)
		}
		if n != nil {
			*total += *n
		}
	}
	return total
}
