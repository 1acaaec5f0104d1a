package intake

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/safefile"
)

// The ends of the file names under which Claude Code writes the bodies of a call, if
// OTEL_LOG_RAW_API_BODIES names a directory.
const requestEnd, responseEnd = ".request.json", ".response.json"

// A FileError is about one file of several.
type FileError struct {
	Name string
	Data []byte // all of the file
	Err  error
}

func (e *FileError) Error() string { return e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// answerWait is how long a request waits for its answer, counted to the newest file of its
// directory. Claude Code gives up much sooner, so an older request was abandoned.
const answerWait = time.Hour

// bodyRequest is the file of a request in a directory of bodies.
type bodyRequest struct {
	id   string
	sent time.Time
}

// Bodies reads a directory of bodies as one log of requests, in the order in which
// the files were written: their times are those of the calls. The bodies stay byte for
// byte as they are.
//
// The agent may still run. A request that waits for its answer is left to a later import,
// with all that were sent after it: so a later import gives what one import of all files
// would. unanswered takes them as calls without an answer. The newest file is left to a
// later import too if it is cut short. Findings say what was left.
//
// advice follows a finding about requests that wait: how to take them all the same.
func Bodies(dir string, unanswered bool, advice string) ([]byte, []inspect.Finding, error) {
	list, newest, err := bodyRequests(dir)
	if err != nil {
		return nil, nil, err
	}
	text := []byte("[")
	for i, r := range list {
		call, err := bodiesOfCall(dir, r, newest)
		waits := errors.Is(err, errHalfWritten)
		if err != nil && !waits {
			return nil, nil, err
		}
		if waits || !unanswered && !call.answered && newest.Sub(r.sent) < answerWait {
			left := inspect.Finding{Code: fault.DocumentInvalid, Message: waiting(r.id, len(list)-i, waits, advice)}
			if i == 0 {
				return nil, nil, fault.New(fault.DocumentInvalid, left.Message, "import the directory again later")
			}
			return append(text, ']'), []inspect.Finding{left}, nil
		}
		if i > 0 {
			text = append(text, ",\n"...)
		}
		if text = append(text, call.text...); len(text) > MaxText {
			return nil, nil, fault.New(fault.Limit, "the bodies have more than "+strconv.Itoa(MaxText)+" bytes",
				"import the files in several directories")
		}
	}
	return append(text, ']'), nil, nil
}

// waiting explains why the last n requests of a directory are left to a later import.
func waiting(id string, n int, halfWritten bool, advice string) string {
	why := id + requestEnd + " has no answer yet"
	if halfWritten {
		why = "a file of the call " + id + " is not written to its end yet"
	}
	requests := strconv.Itoa(n) + " requests"
	if n == 1 {
		requests = "1 request"
	}
	text := why + ": " + requests + " from there on will come with a later import"
	if !halfWritten {
		text += advice
	}
	return text
}

// bodyRequests lists the requests of a directory in the order in which they were written,
// and when its newest body was.
func bodyRequests(dir string) (list []bodyRequest, newest time.Time, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, newest, err
	}
	for _, e := range entries {
		id, isRequest := strings.CutSuffix(e.Name(), requestEnd)
		if !isRequest && !strings.HasSuffix(e.Name(), responseEnd) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, newest, err
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		if isRequest {
			list = append(list, bodyRequest{id, info.ModTime()})
		}
	}
	if len(list) == 0 {
		return nil, newest, fault.New(fault.DocumentInvalid, "the directory has no file that ends in "+requestEnd,
			"name a file, or the directory that OTEL_LOG_RAW_API_BODIES=file:DIRECTORY fills")
	}
	slices.SortFunc(list, func(a, b bodyRequest) int {
		return cmp.Or(a.sent.Compare(b.sent), strings.Compare(a.id, b.id))
	})
	return list, newest, nil
}

// bodiesOfCall writes the bodies of a call as an entry of a log of requests.
func bodiesOfCall(dir string, r bodyRequest, newest time.Time) (call struct {
	text     []byte
	answered bool
}, err error) {
	body, sent, err := bodyIn(dir, r.id+requestEnd, newest)
	if err != nil {
		return call, err
	}
	text := append([]byte(`{"request_id":`+strconv.Quote(r.id)+`,"started_at":"`+stampOf(sent)+`","request":`), body...)
	answer, answered, err := bodyIn(dir, r.id+responseEnd, newest)
	switch {
	case err == nil:
		text = append(append(text, `,"ended_at":"`+stampOf(answered)+`","response":`...), answer...)
		call.answered = true
	case !errors.Is(err, fs.ErrNotExist):
		return call, err
	}
	call.text = append(text, '}')
	return call, nil
}

func stampOf(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// errHalfWritten says that the newest body of a directory ends before its value does.
var errHalfWritten = errors.New("the body is not written to its end")

// bodyIn reads one body and when it was written. It must be JSON: otherwise it would
// end the log around it. errHalfWritten if it is the newest file and only its end is missing.
func bodyIn(dir, name string, newest time.Time) ([]byte, time.Time, error) {
	path := filepath.Join(dir, name)
	body, err := safefile.Read(path, MaxText)
	if err != nil {
		return nil, time.Time{}, err
	}
	info, err := os.Stat(path) // after reading: a whole body is written no more
	if err != nil {
		return nil, time.Time{}, err
	}
	if json.Valid(body) {
		return body, info.ModTime(), nil
	}
	if cutShort(body) && !info.ModTime().Before(newest) {
		return nil, time.Time{}, errHalfWritten
	}
	damaged := fault.New(fault.DocumentInvalid, "the body is not JSON",
		"the file may be cut short: remove it, or write it again")
	var at *json.SyntaxError
	if errors.As(json.Unmarshal(body, new(json.RawMessage)), &at) {
		damaged.Message += ": " + at.Error()
		damaged.Offset = max(0, min(int(at.Offset), len(body))-1)
	}
	return nil, time.Time{}, &FileError{path, body, damaged}
}

// cutShort reports whether a text is not JSON only because its end is missing.
func cutShort(body []byte) bool {
	err := json.NewDecoder(bytes.NewReader(body)).Decode(new(json.RawMessage))
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
