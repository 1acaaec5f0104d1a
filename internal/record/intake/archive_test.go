package intake

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
)

// callsOf describes the calls of a log, by the names of its sessions.
func callsOf(t *testing.T, text []byte) map[string][]string {
	t.Helper()
	log, err := calllog.Read(text)
	must(t, err)
	calls := map[string][]string{}
	for _, s := range log.Sessions {
		for i := range s.Calls {
			c, err := s.Calls[i].Load()
			must(t, err)
			body, err := c.Whole()
			must(t, err)
			request, err := canon.Parse(body) // an archive has messages apart that JSON repeats in each body
			must(t, err)
			calls[s.Name] = append(calls[s.Name], fmt.Sprintf("%s %d %d %s %s", c.ID, c.Started, c.Ended, request, c.Answer))
		}
	}
	return calls
}

func sameCalls(t *testing.T, what string, got, want []byte) {
	t.Helper()
	have, wanted := callsOf(t, got), callsOf(t, want)
	if len(have) == 0 || len(have) != len(wanted) {
		t.Errorf("%s: %d sessions, want %d", what, len(have), len(wanted))
	}
	for name, calls := range wanted {
		if !slices.Equal(have[name], calls) {
			t.Errorf("%s, session %s:\n%q, want\n%q", what, name, have[name], calls)
		}
	}
}

// An archive that Inspect wrote says the same as the JSON that Inspect writes of it.
func TestAnArchiveOfInspectIsItsLog(t *testing.T) {
	text, err := textOf(t, read(t, "testdata/inspect.eval"), MaxText)
	must(t, err)
	if kind, err := kindOf(text); kind != Log || err != nil {
		t.Errorf("the archive is %q, %v", kind, err)
	}
	sameCalls(t, "the archive", text, read(t, "testdata/inspect-dump.json"))
	calls := callsOf(t, text)
	if len(calls["momo"]) != 2 || len(calls["jim"]) != 1 ||
		!strings.Contains(calls["momo"][1], "Momo stands on shelf 4.") {
		t.Errorf("the calls are %q", calls)
	}
}

// member is a file of an archive that a test makes.
type member struct {
	name, text string
	method     uint16
}

func archived(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		must(t, err)
		_, err = io.WriteString(f, m.text)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

// parts divides the sample of a log in JSON into a head and its samples.
func parts(t testing.TB) (whole []byte, head string, samples []string) {
	t.Helper()
	whole = read(t, "../calllog/testdata/inspect.json")
	var members map[string]json.RawMessage
	must(t, json.Unmarshal(whole, &members))
	var list []json.RawMessage
	must(t, json.Unmarshal(members["samples"], &list))
	delete(members, "samples")
	text, err := json.Marshal(members)
	must(t, err)
	for _, s := range list {
		samples = append(samples, string(s))
	}
	return whole, string(text), samples
}

// An archive is read whichever way its members are compressed, and while the evaluation goes on;
// of a sample that was written twice the second one counts.
func TestArchivesOfInspectInAllForms(t *testing.T) {
	whole, head, samples := parts(t)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		members := []member{{"_journal/start.json", `{"version":2,"eval":{}}`, method}}
		for i, s := range samples {
			name := fmt.Sprintf("samples/%d_epoch_1.json", i)
			members = append(members, member{name, `{"id":"begun","events":[]}`, method}, member{name, s + "\n", method})
		}
		members = append(members, member{"summaries.json", "[]", method})
		ended := append(slices.Clone(members), member{"header.json", " " + head + " \n", method})
		for what, list := range map[string][]member{"ended": ended, "going on": members} {
			text, err := textOf(t, archived(t, list...), MaxText)
			must(t, err)
			sameCalls(t, what, text, whole)
		}
	}
}

// What is wrong with an archive is said with the member that is concerned.
func TestDamagedArchives(t *testing.T) {
	_, head, samples := parts(t)
	good := archived(t, member{"header.json", head, zip.Deflate}, member{"samples/a.json", samples[0], zip.Deflate})
	for cut := len(zipMark); cut < len(good); cut++ {
		if text, err := textOf(t, good[:cut], MaxText); fault.CodeOf(err) != fault.DocumentInvalid {
			t.Fatalf("of %d bytes the first %d give %d bytes of text, %v", len(good), cut, len(text), err)
		}
	}
	flipped := slices.Clone(good)
	flipped[len(good)/3] ^= 0x55
	unknown := bytes.Clone(good)
	for i := range unknown { // the method is at byte 8 of a member and at byte 10 of its entry
		if bytes.HasPrefix(unknown[i:], []byte("PK\x03\x04")) {
			unknown[i+8] = 77
		} else if bytes.HasPrefix(unknown[i:], []byte("PK\x01\x02")) {
			unknown[i+10] = 77
		}
	}
	for what, test := range map[string]struct {
		data []byte
		code fault.Code
		says string
	}{
		"a flipped byte":     {flipped, fault.DocumentInvalid, "in the archive is damaged"},
		"an unknown method":  {unknown, fault.DocumentInvalid, "header.json in the archive is compressed with the unknown"},
		"nothing of Inspect": {archived(t, member{"notes.txt", "x", zip.Store}), fault.DocumentInvalid, "not one of Inspect"},
		"a sample cut short": {archived(t, member{"header.json", head, zip.Store},
			member{"samples/b.json", "{\n\"id\":", zip.Store}), fault.DocumentInvalid, "samples/b.json, line 2: "},
		"a list for a head": {archived(t, member{"header.json", "[1]", zip.Store}), fault.DocumentInvalid, "header.json"},
		"a head of nothing": {archived(t, member{"header.json", "{}", zip.Store}), fault.DocumentInvalid, "header.json"},
		"a sample of nothing": {archived(t, member{"header.json", head, zip.Store}, member{"samples/c.json", "", zip.Store}),
			fault.DocumentInvalid, "samples/c.json"},
		"too much": {archived(t, member{"header.json", head, zip.Deflate},
			member{"samples/d.json", strings.Repeat(" ", 1<<20) + "{}", zip.Deflate}), fault.Limit, "more than 1000000 bytes"},
	} {
		text, err := textOf(t, test.data, 1_000_000)
		if fault.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), test.says) {
			t.Errorf("%s: %d bytes of text, %v; want %s that says %q", what, len(text), err, test.code, test.says)
		}
	}
}
