package command

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/safefile"
)

// ReadFile is Read for a file that may be a log: plain, gzip or Zstandard, with or
// without a byte order mark; or for a directory of bodies, whose requests without an answer
// it takes or leaves. The budget of ctx bounds it.
func (a *App) ReadFile(ctx context.Context, name string, unanswered bool) (*Input, error) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		data, left, err := intake.Bodies(name, unanswered,
			"; --unanswered takes them now, and their answers never")
		if file := (*intake.FileError)(nil); errors.As(err, &file) {
			err = InFile(file.Err, file.Name, file.Data)
		}
		return &Input{Name: strings.TrimRight(name, "/"), File: &intake.File{Data: data}, Findings: left}, InFile(err, name, nil)
	}
	from, in, err := a.stream(name)
	if err != nil {
		return nil, err
	}
	var file *intake.File
	if from != nil {
		file, err = WaitFor(ctx, func() (*intake.File, error) { return intake.Read(ctx, from, intake.MaxText) })
	} else {
		var from *os.File
		if from, err = safefile.Open(name); err != nil {
			return nil, err
		}
		if file, err = intake.Read(ctx, from, intake.MaxText); err != nil || !file.Stays() {
			from.Close()
		}
	}
	if err != nil {
		return nil, InFile(err, in.Name, nil)
	}
	in.File, a.files = file, append(a.files, file)
	return in, nil
}
