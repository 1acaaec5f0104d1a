package record

import (
	"context"
	"time"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/record/provider"
)

// Ended describes the end of a recorded call. It has no content, no header and no words of an error.
type Ended struct {
	Context context.Context // of the request; it may be cancelled by now
	API     string          // openai.chat, openai.responses, anthropic.messages or gemini.generate
	Host    string          // of the provider, with its port if the request has one
	Model   string          // that the request asks for
	// Answered is the model that the answer names, "" if it names none.
	Answered string
	// In, Out and so on are the tokens by the provider's count, nil where it gives none. In includes Cached, which
	// came from its cache, and Written, which went there; Out includes Reasoning.
	In, Out, Cached, Written, Reasoning *int64

	HTTP    int // status of the answer, 0 if none arrived
	Status  history.AttemptStatus
	Started time.Time // when the client sent the request
	Over    time.Time // when the answer was over
}

// reportEnd tells the option OnEnd how a call ended.
func (c *call) reportEnd(status history.AttemptStatus, a *provider.Answer) {
	if c.recorder.options.OnEnd == nil {
		return
	}
	model, _ := c.hide.text(a.Model)
	c.recorder.options.OnEnd(Ended{Context: c.ctx, API: string(c.api), Host: c.provider, Model: c.model, Answered: model,
		In: a.Usage.In, Out: a.Usage.Out, Cached: a.Usage.Cached, Written: a.Usage.Written, Reasoning: a.Usage.Reasoning,
		HTTP: c.status, Status: status, Started: c.started, Over: c.finished})
}
