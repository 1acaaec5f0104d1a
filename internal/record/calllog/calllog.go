package calllog

import (
	"net/http"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// Exactness says how a request in a log relates to what the provider received.
type Exactness string

// The degrees of exactness, best first.
const (
	Wire     Exactness = "byte-exact" // the log has the body as it was sent
	Reported Exactness = "reported"   // the program wrote down what it sent
	Rebuilt  Exactness = "rebuilt"    // made of the conversation; the log lacks part of the request
)

// Log is a parsed file.
type Log struct {
	Format   string            // name for people, such as "HAR"
	Sessions []Session         // at least one
	Findings []inspect.Finding // what could not be read or mapped, counted by kind
	Damage   error             // of the first line that is no JSON, nil if all are: a strict import refuses the file
	Sums     *sums.Sums        // what the file holds and what was read of it, nil where bodies of requests stay as they are
}

// Session is a series of calls that belong together.
type Session struct {
	Name    string       // "" if the log holds one session
	Exact   Exactness    // of the least exact call
	Missing []string     // what a rebuilt request lacks, such as "the system prompt"
	BegunBy *ParentCall  // of this session as a sub-agent, nil for none
	Calls   []Call       // in the order in which they were made
	API     provider.API // of Unsent
	Unsent  canon.Any    // the request that would follow, with the messages after the last answer; absent without any
	Replay  *Replay      // of a session of messages alone, whose calls are made up; nil for any other
	unsent  *Call        // has Unsent, if that stays in texts
}

// ParentCall is the call of a tool in another session that began a session.
type ParentCall struct {
	Session string // its name
	Call    string // id of the call of the tool
}

// Call is a request and its answer. The request is either a body or a value.
type Call struct {
	// ID tells the call apart within its session. It is the same when the log
	// has grown.
	ID         string
	API        provider.API
	Host, Path string      // where the request went; Host is "" if the log does not say
	Header     http.Header // of the request; nil if the log has none
	// Body is the request as it was sent. It is nil if Request has it: the calls
	// of a rebuilt session share their messages.
	Body    []byte
	Request canon.Any
	Status  int    // HTTP status of the answer, 0 if the log has none
	Answer  []byte // the body of the answer as the API writes it, nil if the log has none
	// Times in nanoseconds since the epoch, 0 if unknown.
	Started, Ended, FirstByte int64
	// Rewrites says that the agent compacted the conversation: the request
	// continues the same line.
	Rewrites bool
	// Branches says that the log goes on behind the call that this one goes on from in another way, too.
	Branches bool
	Line     int            // where in the file the call stands, 0 if unknown
	Attrs    []canon.Member // what else the log says of the call

	// Refused is the error with which every importer refuses the call. Only ReadFile sets it.
	Refused  error
	fromFile *fileCall // where ReadFile left header, body, answer and attributes; nil if they are here

	of               *texts // has the messages of Request, the answer and the attributes; nil if they are here
	sent             []text // the messages; requests share them
	answered, logged text
}

// HasUnsent reports whether messages stand behind the last answer.
func (s *Session) HasUnsent() bool { return s.unsent != nil || s.Unsent.Kind == canon.KindObject }

// UnsentBody returns Unsent as a body. Cost: its messages.
func (s *Session) UnsentBody() ([]byte, error) {
	if s.unsent != nil {
		return s.unsent.Whole()
	}
	return s.Unsent.AppendTo(nil), nil
}
