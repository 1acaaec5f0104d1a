package intake

import (
	"context"

	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/transcript"
)

// Conversations returns the conversations of a transcript, each of which the budget of ctx allows to
// import by itself: E_LIMIT comes before the first import.
func Conversations(ctx context.Context, data []byte) ([]*transcript.Conversation, error) {
	list, err := transcript.Read(data)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		release, err := budget.Hold(ctx, c.Memory())
		if err != nil {
			return nil, err
		}
		release()
	}
	return list, nil
}
