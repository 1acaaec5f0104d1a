package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/calllog"
)

// The ends of the file names under which Claude Code writes the bodies of a call, if
// OTEL_LOG_RAW_API_BODIES names a directory.
const requestEnd, responseEnd = ".request.json", ".response.json"

// bodiesOf reads a directory of bodies as one log of requests, in the order in which
// the files were written: their times are those of the calls. The bodies stay byte for
// byte as they are.
func bodiesOf(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type request struct {
		id   string
		sent time.Time
	}
	var list []request
	for _, e := range entries {
		id, found := strings.CutSuffix(e.Name(), requestEnd)
		if !found {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		list = append(list, request{id, info.ModTime()})
	}
	if len(list) == 0 {
		return nil, fault.New(fault.DocumentInvalid, "the directory has no file that ends in "+requestEnd,
			"name a file, or the directory that OTEL_LOG_RAW_API_BODIES=file:DIRECTORY fills")
	}
	slices.SortFunc(list, func(a, b request) int {
		return cmp.Or(a.sent.Compare(b.sent), strings.Compare(a.id, b.id))
	})
	text := []byte("[")
	for i, r := range list {
		if i > 0 {
			text = append(text, ",\n"...)
		}
		body, _, err := bodyIn(dir, r.id+requestEnd)
		if err != nil {
			return nil, err
		}
		text = append(text, `{"request_id":`+strconv.Quote(r.id)+`,"started_at":"`+stampOf(r.sent)+`","request":`...)
		text = append(text, body...)
		answer, answered, err := bodyIn(dir, r.id+responseEnd)
		switch {
		case err == nil:
			text = append(append(text, `,"ended_at":"`+stampOf(answered)+`","response":`...), answer...)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		if text = append(text, '}'); len(text) > calllog.MaxLog {
			return nil, fault.New(fault.Limit, "the bodies have more than "+strconv.Itoa(calllog.MaxLog)+" bytes",
				"import the files in several directories")
		}
	}
	return append(text, ']'), nil
}

func stampOf(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// bodyIn reads one body and when it was written. It must be JSON: otherwise it would
// end the log around it.
func bodyIn(dir, name string) ([]byte, time.Time, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	body, err := os.ReadFile(path)
	if err == nil && !json.Valid(body) {
		err = inFile(fault.New(fault.DocumentInvalid, "the body is not JSON",
			"the file may be cut short: remove it, or write it again"), path, nil)
	}
	return body, info.ModTime(), err
}
