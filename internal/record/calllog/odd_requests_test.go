package calllog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// What stands among requests and is none of them.
const (
	askChat    = `{"model":"m","messages":[{"role":"user","content":"%d"}]}`
	askWrapped = `{"custom_id":"c%d","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"hi"}]}}`
	askClaude  = `{"model":"claude-1","max_tokens":9,"system":"s","messages":[{"role":"user","content":"%d"}]}`
	notSent    = `{"messages":[{"role":"user","content":"hi"}],"error":"no model"}`
	bare       = `{"messages":[{"role":"user","content":"hi"}]}`
	answered   = `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}`
	claudeSaid = `{"model":"claude-1","system":"s","messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}]}`
	oneMessage = `{"role":"user","content":"hi"}`
	noted      = `{"level":"info"}`
)

// TestAnOddLineDoesNotRefuseALogOfRequests puts what only formats of messages claim at each place of a log of requests:
// it is left out with its line, and each request is read, by the reader of large files too.
func TestAnOddLineDoesNotRefuseALogOfRequests(t *testing.T) {
	for _, request := range []string{askChat, askWrapped, askClaude} {
		for _, odd := range []string{notSent, bare, answered, claudeSaid, oneMessage, noted} {
			for at := range 3 {
				if at == 0 && odd == claudeSaid {
					continue // the file begins as conversations do
				}
				lines := []string{fmt.Sprintf(request, 1), fmt.Sprintf(request, 2)}
				text := []byte(strings.Join(slices.Insert(lines, at, odd), "\n") + "\n")
				inMemory, err := Read(text)
				file, fileErr := ReadRequests(bytes.NewReader(text), int64(len(text)), func(*Call) error { return nil })
				if err != nil || fileErr != nil {
					t.Errorf("%s: %v, %v", text, err, fileErr)
					continue
				}
				for _, log := range []*Log{inMemory, file} {
					if log == nil && at == 0 && strings.Contains(odd, "role") {
						continue // of a large file the first line has to be a request
					}
					said := fmt.Sprint(log.Findings)
					if len(log.Sessions) != 1 || len(log.Sessions[0].Calls) != 2 || !strings.Contains(said, fmt.Sprintf("line %d: ", at+1)) {
						t.Errorf("%s: %d sessions, %s", text, len(log.Sessions), said)
					}
					if log.Sums == nil || log.Sums.Records.File != 3 {
						t.Errorf("%s: the sums are %+v", text, log.Sums)
					}
				}
			}
		}
	}
}

// TestAVerdictOnALineDoesNotDependOnItsNeighbours judges lines with the same members, of which one has a format and
// another has none.
func TestAVerdictOnALineDoesNotDependOnItsNeighbours(t *testing.T) {
	nothing := `{"id":"1","conversations":[]}`
	shared := `{"id":"1","conversations":[{"from":"human","value":"hi"}]}`
	for _, before := range []string{"", nothing + "\n"} {
		text := []byte(fmt.Sprintf(askChat, 1) + "\n" + before + shared + "\n" + fmt.Sprintf(askChat, 2) + "\n")
		_, inMemory := Read(text)
		_, file := ReadRequests(bytes.NewReader(text), int64(len(text)), func(*Call) error { return nil })
		for _, err := range []error{inMemory, file} {
			if fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(fmt.Sprint(err), "conversations of ShareGPT") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
