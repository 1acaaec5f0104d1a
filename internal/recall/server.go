package recall

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options limits and describes the tools.
type Options struct {
	// Context is the context that the tools look at if a call names none, and they look at no other but those
	// named below it, such as Context/originals. With "" they look at all, and a call that names none
	// gets the one that changed last.
	Context string
	// Covers reports whether a context may be looked at; nil allows all.
	Covers func(name string) bool
	// Pin offers the tool pin, and Note the tool note. Both change contexts.
	Pin, Note bool
	// Actor says in the log who changed a context.
	Actor string
	// Noted is what several servers for one store share; nil for a server alone.
	Noted *UsedNotes
	// Request ends the tools and has the limits of one call; nil for the session.
	Request context.Context
	// Version is that of the program.
	Version string
}

const instructions = "pact keeps what this agent was sent. Where a text says that something was left out and names an id " +
	"such as block:4-1, call recall with that id. What an earlier summary lost, recall finds by a word of it."

// NewServer returns a server with the tools for the contexts of a store. Many sessions may use it at once.
func NewServer(db *pact.DB, o Options) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "pact", Title: "PACT", Version: o.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}})
	s.AddReceivingMiddleware(short)
	if o.Noted == nil {
		o.Noted = NewUsedNotes()
	}
	t := &tools{db: db, options: o}
	add(s, t.requestContext, "recall", "Get back the exact text of a block that was left out of the context, by its id, or find it by a text. "+
		"Also finds what was removed, compacted or shortened.", true, t.recall)
	add(s, t.requestContext, "show", "List the blocks of the context, a line each with its id; with a selector those that it finds.", true, t.show)
	add(s, t.requestContext, "changes", "Say what came, went or changed between two snapshots, and why.", true, t.changes)
	if o.Pin {
		add(s, t.requestContext, "pin", "Have policies leave a block alone, or end that.", false, t.pin)
	}
	if o.Note {
		add(s, t.requestContext, "note", "Put a text into the context, from the next call on.", false, t.addNote)
	}
	return s
}

// The limits of a call.
const (
	maxVisits = 20_000_000 // nodes that its selector may visit
	maxReads  = 10_000     // snapshots that it may ask
)

// guarded returns a failure of the program itself as an error: the protocol's library runs tools where a panic would
// end the program.
func guarded(answer func() (string, error)) (text string, err error) {
	defer func() {
		if recover() != nil {
			err = fault.New(fault.Store, "the tool failed", "report it, with what was asked")
		}
	}()
	return answer()
}

// add adds a tool whose answer is a text. work returns the context for an answer.
func add[In any](s *mcp.Server, work func(context.Context) context.Context, name, description string, reads bool, answer func(context.Context, In) (string, error)) {
	no := false
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads,
		DestructiveHint: &no, OpenWorldHint: &no}}
	mcp.AddTool(s, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := guarded(func() (string, error) { return answer(work(ctx), in) })
		if err != nil {
			return nil, nil, err // the model reads the error, with its remedy
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}

// tools answers calls.
type tools struct {
	db      *pact.DB
	options Options
}

// requestContext returns the context for an answer: that of the request, which the protocol's library does not pass on.
func (t *tools) requestContext(session context.Context) context.Context {
	if t.options.Request != nil {
		return t.options.Request
	}
	return budget.With(session, maxVisits, maxReads)
}

// invalid refuses the arguments of a call.
func invalid(message, remedy string) error { return fault.New(fault.DocumentInvalid, message, remedy) }
