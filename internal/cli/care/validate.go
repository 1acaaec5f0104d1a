package care

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
)

// validated is the answer of pact verify --file FILE --json.
type validated struct {
	Valid     bool              `json:"valid"`
	Kind      intake.Kind       `json:"kind,omitempty"`
	Snapshots int               `json:"snapshots"`
	Findings  []inspect.Finding `json:"findings"`
}

// validate checks a file strictly.
func validate(ctx context.Context, a *command.App, flags *command.SourceFlags) error {
	v := &validated{Findings: []inspect.Finding{}}
	err := validateFile(ctx, a, flags, v)
	if !a.JSON {
		for _, f := range v.Findings {
			a.Printf("%s\n", command.FindingText(f))
		}
	}
	if err != nil {
		return err
	}
	v.Valid = true
	if a.JSON {
		return a.PrintJSON(v)
	}
	what := "valid, " + view.Plural(v.Snapshots, "snapshot")
	if len(v.Findings) > 0 {
		what += ", " + view.Plural(len(v.Findings), "finding")
	}
	a.Printf("%s\n", what)
	return nil
}

func validateFile(ctx context.Context, a *command.App, flags *command.SourceFlags, v *validated) error {
	if flags.Edition != "" {
		if _, err := selector.ParseEdition(flags.Edition); err != nil {
			return err
		}
	}
	in, err := a.ReadFile(ctx, flags.File, true)
	if err != nil {
		return err
	}
	if v.Kind, err = in.Kind(); err != nil {
		return in.Located(err)
	}
	edition := selector.Edition(flags.Edition)
	switch v.Kind {
	case intake.Log:
		log, err := in.Log("")
		if err == nil {
			err = log.Damage
		}
		if err != nil {
			return in.Located(err)
		}
		for _, s := range log.Sessions {
			v.Snapshots += len(s.Calls)
		}
		v.Findings = append(v.Findings, log.Findings...)
		return nil
	case intake.Snapshot:
		v.Snapshots = 1
		return validateSnapshot(in, edition, v)
	}
	findings, err := []inspect.Finding(nil), error(nil)
	v.Snapshots, findings, err = in.CheckHistory(ctx, archive.Options{Edition: edition, Strict: true})
	v.Findings = append(v.Findings, findings...)
	return err
}

// validateSnapshot reads a document strictly. If that fails, it reads it again
// leniently to find everything wrong with its shape.
func validateSnapshot(in *command.Input, edition selector.Edition, v *validated) error {
	d, err := document.Read(in.Data, document.Options{Edition: edition})
	if err == nil {
		v.Findings = append(v.Findings, d.Findings...)
		return nil
	}
	if d, lenient := document.Read(in.Data, document.Options{Edition: edition, Lenient: true}); lenient == nil {
		v.Findings = append(v.Findings, d.Findings...)
	}
	return command.InFile(err, in.Name, in.Data)
}
