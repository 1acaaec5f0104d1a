package cli

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/intake"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

// importFlags are the flags that import and open share.
type importFlags struct {
	name, edition, conversation  string
	strict, renumber, unanswered bool
}

func (a *app) importFlags(cmd *cobra.Command) *importFlags {
	f := &importFlags{}
	cmd.Flags().StringVar(&f.name, "name", "", "the `NAME` of the context; by default that of the file")
	cmd.Flags().StringVar(&f.edition, "edition", "", "the `EDITION` to read it in: v0.1, depth or canonical")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "refuse a history whose order or regions would have to be mended")
	cmd.Flags().BoolVar(&f.renumber, "renumber", false,
		"count the cycles of a history with gaps anew, one for each snapshot")
	cmd.Flags().BoolVar(&f.unanswered, "unanswered", false,
		"take the requests of a directory of bodies that have no answer, too: a later import adds none")
	cmd.Flags().StringVar(&f.conversation, "conversation", "", "take one conversation of several, by its `NAME`")
	_ = cmd.RegisterFlagCompletionFunc("edition", cobra.FixedCompletions(editions, cobra.ShellCompDirectiveNoFileComp))
	return f
}

// imported is one context made from a file.
type imported struct {
	context      *pact.Context
	existed      bool            // the store already had it, made of the same contents
	grows        *pact.Extension // what the file has beyond it, nil if it is not one that existed
	added        int64           // how many cycles it has more now
	part         part
	calls, known int // of a log: how many calls were recorded now, and how many before
}

// part is the source of contexts: a conversation or the whole input, which give
// one, or a session of a log, which gives one for each of its lines.
type part struct {
	name         string
	conversation *transcript.Conversation
	session      *intake.Session  // nil for a part that is none of a log
	stored       *record.Importer // of a dry run: knows the calls that the store has, nil elsewhere
	there        bool             // of a dry run: the store has a context of that name, made of the same contents
	adds         int64            // of a dry run: how many cycles that context would get
	lost         *lossReader      // adds up what the policy takes; nil without one
}

// split divides the input into parts, one for each context.
func (a *app) split(ctx context.Context, in *input, kind intake.Kind, f *importFlags) ([]part, error) {
	name := f.name
	if name == "" {
		name = in.base()
	}
	if kind == intake.Log {
		log, err := in.log(f.conversation)
		if err != nil {
			return nil, err
		}
		if f.conversation == "" {
			if err := a.withAgents(ctx, in, log); err != nil {
				return nil, err
			}
		}
		in.findings = append(in.findings, log.Findings...)
		return in.logParts(log, name)
	}
	if kind != intake.Transcript {
		if f.conversation != "" {
			return nil, fault.New(fault.DocumentInvalid, "--conversation is for transcripts", "leave it out: this is a "+
				string(kind))
		}
		return []part{{name: name}}, nil
	}
	if f.conversation != "" {
		c, err := in.conversation(f.conversation)
		return []part{{name: name + "/" + f.conversation, conversation: c}}, err
	}
	list, err := transcript.Read(in.data)
	if err != nil {
		return nil, inFile(err, in.name, in.data)
	}
	parts := make([]part, len(list))
	for i, c := range list {
		parts[i] = part{name: name, conversation: c}
		in.findings = append(in.findings, c.Findings()...)
		if len(list) > 1 {
			parts[i].name += "/" + c.Name
		}
	}
	return parts, nil
}

// plan is a file and how to import it.
type plan struct {
	*input
	kind             intake.Kind
	edition          string
	strict, renumber bool
	parts            []part
	policy           lifecycle.Policy // the policy under which the calls of a transcript are replayed
	counter          tree.Counter     // counts tokens for the policy, nil if it needs none
}

func (a *app) plan(ctx context.Context, file string, f *importFlags) (*plan, error) {
	if f.edition != "" {
		if _, err := selector.ParseEdition(f.edition); err != nil {
			return nil, err
		}
	}
	in, err := a.readFile(ctx, file, f.unanswered)
	if err != nil {
		return nil, err
	}
	p := &plan{input: in, edition: f.edition, strict: f.strict, renumber: f.renumber}
	if p.kind, err = in.shape(); err == nil {
		p.parts, err = a.split(ctx, in, p.kind, f)
	}
	return p, err
}

// importAll makes the contexts of a file. A context of that name gets what it lacks if it
// was made of the beginning of the same contents; importAll refuses any other. It checks all
// names before the first import.
func (a *app) importAll(ctx context.Context, s store.Store, in *plan) ([]imported, error) {
	found := make([]imported, len(in.parts))
	total := 0
	for i, p := range in.parts {
		var err error
		if found[i], err = a.existing(ctx, s, in, p); err != nil {
			return nil, err
		}
		total += p.calls()
	}
	a.warn(in.findings)
	m, done := a.meter("importing"), 0
	defer m.end()
	var list []imported
	for i, p := range in.parts {
		switch {
		case p.session != nil:
			made, err := a.recordLog(ctx, s, p, pact.OpenOptions{Actor: a.getenv("USER", ""), Counter: in.counter},
				func(n int) { m.at(done+n, total) })
			if err != nil {
				return nil, inFile(err, in.name, in.data)
			}
			list = append(list, made...)
		case found[i].context == nil:
			c, err := a.make(ctx, s, in, p, func(n, _ int) { m.at(done+n, total) })
			if err != nil {
				return nil, err
			}
			list = append(list, imported{context: c, existed: p.there, added: p.adds, part: p})
		default:
			if grows := found[i].grows; grows != nil {
				if err := grows.Apply(ctx); err != nil {
					return nil, err
				}
				found[i].added = grows.Cycles
			}
			list = append(list, found[i])
		}
		done += p.calls()
		m.at(done, total)
	}
	return list, nil
}

func (p part) calls() int {
	if p.session != nil {
		return len(p.session.Calls)
	}
	if p.conversation == nil {
		return 1
	}
	return p.conversation.Calls()
}

// make makes one context in a store.
func (a *app) make(ctx context.Context, s store.Store, in *plan, p part, progress func(done, total int)) (*pact.Context,
	error) {
	open := pact.OpenOptions{Actor: a.getenv("USER", ""), Counter: in.counter}
	if in.kind == intake.Transcript {
		made := pact.CreateOptions{OpenOptions: open, Edition: selector.Edition(in.edition)}
		options := &transcript.ImportOptions{CreateOptions: made, Policy: in.policy, Progress: progress}
		if p.lost != nil {
			options.Pruned = func(before *tree.Tree, r *lifecycle.Report) error { return p.lost.take(ctx, before, r) }
		}
		c, err := transcript.Import(ctx, s, p.name, p.conversation, options)
		return c, inFile(err, in.name, in.data)
	}
	c, findings, err := in.begin(ctx, in.kind, s, p.name, pact.ImportHistoryOptions{OpenOptions: open,
		HistoryOptions: pact.HistoryOptions{Edition: selector.Edition(in.edition), Strict: in.strict, Renumber: in.renumber}})
	if err == nil {
		a.warn(findings)
	}
	return c, err
}

func (a *app) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make contexts of a transcript, a log, a history or a document",
		Long: `Make a context from a file; - is standard input. The contents of the file decide what
it is:

  a snapshot document   a JSON object with "root"
  a history             JSON Lines: canonical snapshots, or what
                        pact export --all --compact wrote
  a transcript          OpenAI chat messages, tau-bench results, SWE-smith
                        trajectories
  a log of calls        requests to the four APIs as JSON or JSON Lines, alone
                        or with answers; HAR; logs of LiteLLM, Bedrock and
                        Inspect; ChatGPT's export; sessions and messages of
                        LangChain, Pydantic AI, ADK, the OpenAI Agents SDK and
                        Cline; transcripts of Claude Code, rollouts of Codex,
                        exports of opencode
  a directory           NAME.request.json and NAME.response.json, as Claude Code
                        writes them with OTEL_LOG_RAW_API_BODIES=file:DIRECTORY;
                        what waits for an answer comes with a later import

The file may be compressed with gzip or Zstandard; a log of Inspect may be the zip
archive that Inspect writes. A log becomes one context for each of its
conversations and branches: NAME, NAME-2 and so on, with the times, models and tokens
that it has. A file that was imported before adds what it has gained since, and
nothing if it is the same. docs/imports.md says what each format tells.

A transcript of several conversations becomes one context for each: NAME/0, NAME/1
and so on. With limits a transcript is replayed under them: every call is pruned
as it would have been, and the snapshots are what the model would have seen; the
answer says what was left out, a line for each turn (pact prune has the rules).
pact open also imports, and says what it found.`,
		Example: `  pact import snapshot.json --name chat
  pact import history.jsonl
  pact import requests.jsonl.gz --name run --dry-run
  pact import results.json --conversation 17 --name airline
  pact import results.json --max-tokens 4000 --protect-turns 2`,
		Args: exactly("FILE"),
	}
	flags := a.importFlags(cmd)
	policy := a.policyFlags(cmd)
	dry := cmd.Flags().Bool("dry-run", false, "say what would be made, and store nothing")
	policy.bare = lifecycle.ReadyDefault
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		in, err := a.plan(ctx, args[0], flags)
		if err != nil {
			return err
		}
		if in.policy, in.counter, err = policy.policy(ctx, a, cmd, nil); err != nil {
			return err
		}
		if in.kind != intake.Transcript && !in.policy.Empty() {
			return in.refuseLimits(policy.typed(cmd))
		}
		for i := range in.parts {
			if policy.prunes(&in.policy) {
				in.parts[i].lost = &lossReader{counter: in.counter}
			}
		}
		s := store.Store(store.NewMemory())
		if *dry {
			err = a.rehearse(ctx, in)
		} else {
			s, err = a.storeFor(ctx, in)
		}
		if err != nil {
			return err
		}
		defer s.Close()
		list, err := a.importAll(ctx, s, in)
		if err != nil {
			return err
		}
		return a.reportImport(list, in.kind, *dry)
	})
	return cmd
}
