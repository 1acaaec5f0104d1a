package record

import (
	"net/http"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
)

// PastCall is a call that was made elsewhere, as a log has it.
type PastCall struct {
	// ID tells the call apart in its log. An [Importer] records a call with an ID
	// once; "" records it each time.
	ID string
	// API is the name of the API in docs/wire.md, such as openai.chat; "" if
	// Path tells it.
	API        string
	Host, Path string      // where the request went; Host may be ""
	Header     http.Header // of the request, as far as the log has it
	Body       []byte      // of the request, not compressed
	// Whole, if not nil, says that the request begins with all messages of the call that was added before, which Add must
	// have recorded: Body has only those behind them, beside all other fields. Then a call costs what is new in it, and
	// Add keeps nothing that it says in memory. Whole returns the whole body, until the next call has been added. Add asks
	// for it if the call, or the one behind it, goes on in no way that Add knows. Such a body is recorded in canonical form.
	Whole  func() ([]byte, error)
	Status int            // HTTP status of the answer, 0 if the log has none
	Answer []byte         // the body of the answer, streamed or not, not compressed; nil if the log has none
	Attrs  map[string]any // what else the log says of the call; values with a JSON form
	// Times in nanoseconds since the epoch, 0 if unknown.
	Started, FirstByte, Ended int64
	// Rewrites says that the agent replaced the conversation, as a compaction does:
	// the request continues the context of the call before it, even if it repeats nothing.
	Rewrites bool
	// Branches says that another call goes on from where this one does: the request never replaces what that one sent.
	Branches bool
}

// api returns the API that was called; "" if the call does not say it.
func (p *PastCall) api() provider.API {
	if p.API != "" {
		return provider.API(p.API)
	}
	return provider.APIOf(http.MethodPost, p.Path)
}

// Check returns the error, E_DOCUMENT_INVALID, with which an [Importer] refuses a call whose
// body is no request; it asks no store. Check all calls first, and a log is imported
// whole or not at all. Cost: reading the body.
func (p *PastCall) Check() error {
	is, err := wire.IsObject(p.Body)
	if err == nil && !is {
		err = notRequest(p.api())
	}
	return err
}

func notRequest(to provider.API) error {
	return fault.New(fault.DocumentInvalid, "the body of a call is not a request to "+string(to),
		"mend the call in the log, or take it out")
}
