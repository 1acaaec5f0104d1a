package care

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// checked is the answer of pact check --json.
type checked struct {
	Form     string           `json:"form"`
	Problems []record.Problem `json:"problems"`
	Mended   []record.Problem `json:"mended,omitempty"`
	Body     string           `json:"body,omitempty"`
}

type checkFlags struct {
	call       int64
	api, model string
	after      string
	mend       bool
}

func checkRequestCommand(a *command.App) *cobra.Command {
	cmd := a.Command("check")
	var f checkFlags
	flags := cmd.Flags()
	flags.Int64Var(&f.call, "call", 0, "the call `N` of the context; by default the last one")
	flags.StringVar(&f.api, "api", "", "the `API`: openai, responses, anthropic or gemini")
	flags.StringVar(&f.model, "model", "", "the `MODEL` in place of the one in the request")
	flags.StringVar(&f.after, "after", "", "the `FILE` with the request before in the same conversation")
	flags.BoolVar(&f.mend, "mend", false, "print the body with all that needs no decision mended")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		q, err := f.request(ctx, a, cmd, args[0])
		if err != nil {
			return err
		}
		return f.answer(a, q)
	})
	return cmd
}

// request reads what is to be checked.
func (f *checkFlags) request(ctx context.Context, a *command.App, cmd *cobra.Command, name string) (*record.CheckRequest,
	error) {
	q := &record.CheckRequest{Form: f.api, Model: f.model}
	if f.after != "" {
		in, err := a.Read(ctx, f.after)
		if err != nil {
			return nil, err
		}
		q.After = in.Data
	}
	if _, err := os.Stat(name); name == "-" || err == nil {
		if f.call != 0 {
			return nil, command.Usage(cmd, "--call is one of a context, and %s is a file", name)
		}
		in, err := a.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		q.Body = in.Data
		return q, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c, s, err := a.LookAt(ctx, name, pact.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	cycle := f.call
	if cycle == 0 {
		cycle = c.Info().Cycle
	}
	if err := f.recorded(ctx, a, c, cycle, q); err != nil {
		return nil, err
	}
	return q, nil
}

// recorded takes the request of a call, or the thread as one to another API.
func (f *checkFlags) recorded(ctx context.Context, a *command.App, c *pact.Context, cycle int64, q *record.CheckRequest) error {
	snapshot, err := c.At(ctx, pact.Cycle(cycle))
	if err != nil {
		return err
	}
	if f.api == "" && record.Recorded(snapshot) {
		body, err := record.Request(ctx, c, cycle, 0)
		if err != nil {
			return err
		}
		q.Body, q.Path = body.Bytes, body.Path
		if before, err := record.Request(ctx, c, cycle-1, 0); err == nil && q.After == nil {
			q.After = before.Bytes
		}
		return nil
	}
	if f.api == "" {
		return fault.New(fault.DocumentInvalid, "no recorder made this context, so it has no request",
			"--api says to which API its thread would be one")
	}
	if err = a.NoteLeftOut(ctx, snapshot); err == nil {
		q.Body, _, err = record.WholeRequest(ctx, c, snapshot, f.api)
	}
	return err
}

// answer prints what is wrong, and the mended body.
func (f *checkFlags) answer(a *command.App, q *record.CheckRequest) error {
	var all checked
	var err error
	if f.mend {
		var body []byte
		if body, all.Mended, err = record.Mend(q); err != nil {
			return err
		}
		all.Body, q.Body = string(body), body
	}
	if all.Form, all.Problems, err = record.Check(q); err != nil {
		return err
	}
	a.Failed = len(all.Problems) > 0
	if a.JSON {
		return a.PrintJSON(all)
	}
	if f.mend {
		for _, p := range all.Mended {
			a.Warnf("mended %s: %s (%s)", placeOf(p), p.Problem, p.Rule)
		}
		for _, p := range all.Problems {
			a.Warnf("left %s: %s (%s); %s", placeOf(p), p.Problem, p.Rule, p.Remedy)
		}
		_, err := a.Out.Write(q.Body)
		return err
	}
	drawProblems(a, all.Problems)
	if !a.Failed {
		a.Printf("%s: no problem by the rules of %s\n", a.Paint.Good("fine"), all.Form)
	}
	return nil
}

// drawProblems prints problems with one rule and one remedy together, and the first ten places of them.
func drawProblems(a *command.App, problems []record.Problem) {
	const most = 10
	groups, at := [][]record.Problem(nil), map[record.Problem]int{}
	for _, p := range problems {
		alike := p
		alike.Place, alike.Problem = "", ""
		i, found := at[alike]
		if !found {
			i, groups = len(groups), append(groups, nil)
			at[alike] = i
		}
		groups[i] = append(groups[i], p)
	}
	for _, list := range groups {
		for _, p := range list[:min(most, len(list))] {
			a.Printf("%s: %s\n", a.Paint.Bad(placeOf(p)), view.Visible(p.Problem))
		}
		if more := len(list) - most; more > 0 {
			a.Printf("  and %d more; --json has each\n", more)
		}
		p := list[0]
		remedy := p.Remedy
		if p.Mends {
			remedy += " (--mend does)"
		}
		a.Printf("  rule    %s, %s, read on %s\n  remedy  %s\n", p.Rule, p.Source, p.Read, remedy)
	}
}

func placeOf(p record.Problem) string {
	if p.Place == "" {
		return "the request"
	}
	return p.Place
}
