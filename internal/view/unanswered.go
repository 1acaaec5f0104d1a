package view

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
)

// Unanswered says of the newest call of a context which attempt it is and why it has no whole answer, as part of a
// sentence; "" if it has one. Cost: the attempts of the current cycle.
func Unanswered(ctx context.Context, c *pact.Context) (string, error) {
	last := c.Info().Cycle
	list, err := c.Attempts(ctx, last+1, last+1)
	if err != nil || len(list) == 0 {
		return "", err
	}
	switch a := &list[len(list)-1]; {
	case a.Status == history.Running:
		return a.ID + ", has no answer yet", nil
	case a.Status == history.Canceled:
		return a.ID + ", was canceled before its answer was whole", nil
	case a.Status == history.Failed && a.Error != "":
		return a.ID + ", failed: " + Visible(a.Error), nil
	case a.Status == history.Failed:
		return a.ID + ", failed", nil
	}
	return "", nil
}
