package listen

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/recall"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/server"
	"github.com/spf13/cobra"
)

// tokenLine is a token in an answer: all but its hash.
type tokenLine struct {
	Name    string `json:"name"`
	Rights  string `json:"rights"` // read or write
	Context string `json:"context,omitempty"`
	Created string `json:"created,omitempty"` // RFC 3339
	Token   string `json:"token,omitempty"`   // the secret, once
}

func lineOf(t history.AccessToken) tokenLine {
	l := tokenLine{Name: t.Name, Rights: "read", Context: t.Pattern,
		Created: time.Unix(0, t.CreatedNS).UTC().Format(time.RFC3339)}
	if t.Write {
		l.Rights = "write"
	}
	return l
}

func tokenCommand(a *command.App) *cobra.Command {
	return a.Group("token", tokenAddCommand(a), tokenListCommand(a), tokenRevokeCommand(a))
}

func tokenAddCommand(a *command.App) *cobra.Command {
	cmd := a.Command("token add")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	read := cmd.Flags().Bool("read", false, "it may read contexts")
	write := cmd.Flags().Bool("write", false, "it may read and change contexts")
	pattern := cmd.Flags().String("context", "", "only contexts whose names are as this `PATTERN` says")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if *read == *write {
			return command.Usage(cmd, "a token needs either --read or --write")
		}
		if cmd.Flags().Changed("context") && *pattern == "" {
			return fault.New(fault.Usage, "the pattern is empty", "leave --context out for all contexts")
		}
		secret, t := server.NewToken(args[0], *write, *pattern, time.Now())
		if err := engine.CheckToken(&t); err != nil { // before a store is made for it
			return err
		}
		s, err := a.OpenStore(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := server.AddToken(ctx, s, t); err != nil {
			return err
		}
		l := lineOf(t)
		l.Token = secret
		return a.Answer(secret, l)
	})
	return cmd
}

func tokenListCommand(a *command.App) *cobra.Command {
	cmd := a.Command("token list")
	cmd.RunE = a.OnStore(func(ctx context.Context, s *pact.DB, _ []string) error {
		tokens, err := server.Tokens(ctx, s)
		if err != nil {
			return err
		}
		list, rows := make([]tokenLine, len(tokens)), make([][]string, len(tokens))
		for i, t := range tokens {
			l := lineOf(t)
			list[i], rows[i] = l, screen.Cells(l.Name, l.Rights, l.Context, l.Created)
		}
		switch {
		case a.JSON:
			return a.PrintJSON(list)
		case len(list) == 0:
			a.Printf("%s has no tokens\n", a.Shown())
		default:
			a.Table([]string{"token", "may", "contexts", "since"}, rows)
		}
		return nil
	})
	return cmd
}

func tokenRevokeCommand(a *command.App) *cobra.Command {
	cmd := a.Command("token revoke")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.RunE = a.OnStore(func(ctx context.Context, s *pact.DB, args []string) error {
		if err := server.RevokeToken(ctx, s, args[0]); err != nil {
			return err
		}
		return a.Answer("revoked "+view.Visible(args[0]), map[string]any{"revoked": args[0]})
	})
	return cmd
}

func mcpCommand(a *command.App) *cobra.Command {
	cmd := a.Command("mcp")
	write := cmd.Flags().Bool("write", false, "offer the tool note too")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) (err error) {
		s, err := a.OpenStore(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		o := recall.Options{Pin: true, Note: *write, Actor: a.Getenv("USER", ""), Version: cmd.Root().Version}
		if len(args) > 0 {
			o.Context = args[0]
		}
		err = recall.NewServer(s, o).Run(ctx, recall.Lines{In: a.In, Out: a.Out.W})
		if ctx.Err() == nil && errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	return cmd
}
