package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// reads returns turns that each read a file, by number.
func reads(files ...int) (script []providertest.Turn) {
	for i, n := range files {
		script = append(script, providertest.Turn{Calls: []providertest.Call{{ID: fmt.Sprint("c", i), Name: "read",
			Arguments: fmt.Sprintf(`{"file":"f%d"}`, n)}}})
	}
	return append(script, providertest.Turn{Text: "done"})
}

// reading is an agent whose calls read files, and the recorder that manages it.
func reading(t *testing.T, s *pact.DB, policy string, files ...int) (*providertest.Provider, *agent, *record.Recorder) {
	t.Helper()
	p, url := startProvider(t, reads(files...)...)
	rec := recorder(t, s, record.Options{Context: "chat", Manage: true, Policy: policyOf(t, policy)})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.body["model"] = "m-1"
	a.ask("Read.")
	a.call()
	return p, a, rec
}

func file(n int) string { return strings.Repeat(fmt.Sprint("line of file ", n, "\n"), 100) }

// goes has the agent answer its n-th call, and returns what was sent.
func (a *agent) goes(p *providertest.Provider, n int, text string) []byte {
	a.Helper()
	a.result(fmt.Sprint("c", n), "read", text)
	a.call()
	all := p.Received()
	return all[len(all)-1].Body
}

// A reference leads to a result that the same request has whole, and becomes the text again in the request that the
// result leaves.
func TestAReferenceBecomesTheTextAgain(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	p, a, rec := reading(t, s, `{"when":"now","rules":[{"select":"[kind='result']","once":true,"ttl":3,"stub":true}]}`, 1, 2, 3, 4, 5)
	a.goes(p, 0, file(1))
	sent := a.goes(p, 1, file(1))
	if !bytes.Contains(sent, []byte("[The same as c0 above.")) {
		t.Fatalf("no reference in %s", sent)
	}
	a.goes(p, 2, "x")
	for n := 3; n < 5; n++ {
		sent = a.goes(p, n, "y")
		whole := bytes.Count(sent, []byte("line of file 1\\nline of file 1"))
		if bytes.Contains(sent, []byte("The same as c0")) == bytes.Contains(sent, []byte("c0 is its id")) || n == 3 && whole == 0 {
			t.Errorf("after call %d a reference leads nowhere, or the text is gone: %.600s", n, sent)
		}
	}
	rec.Close()
	askedBack(t, s, a)
	// The note of the reference leads to the text itself.
	c, id, err := record.FindWhole(t.Context(), s, "chat", nil, "c0")
	must(t, err)
	original, err := record.Original(t.Context(), c.Working(), id)
	var text string
	if err == nil {
		err = json.Unmarshal(original, &text)
	}
	if err != nil || text != file(1) {
		t.Errorf("%q, %v", text, err)
	}
}

// askedBack checks that the last request as the agent asked for it comes back.
func askedBack(t *testing.T, s *pact.DB, a *agent) {
	t.Helper()
	c := opened(t, s, "chat")
	last := c.Info().Cycle
	sent, err := record.Request(t.Context(), c, last, 0)
	must(t, err)
	got, err := record.Asked(t.Context(), s, sent)
	if err != nil || !bytes.Equal(got.Bytes, a.lastBody) {
		t.Errorf("asked\n%s, want\n%s (%v)", got.Bytes, a.lastBody, err)
	}
}

// A call with the same arguments whose result had been shortened gets it whole, and one whose tool says that nothing changed
// gets what it refers to; once.
func TestARepeatedCallIsNotShapedAgain(t *testing.T) {
	const shapes = `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","head":50,"tail":50}]}`
	for how, says := range map[string]string{
		"the same": file(1),
		"unchanged": "File unchanged since last read. The content from the earlier Read tool_result in this conversation is " +
			"still current — refer to that instead of re-reading.",
	} {
		t.Run(how, func(t *testing.T) {
			s := pact.NewDB(store.NewMemory())
			p, a, rec := reading(t, s, shapes, 1, 2, 3, 1, 4, 5, 6, 7, 8, 9)
			if sent := a.goes(p, 0, file(1)); bytes.Contains(sent, []byte(strings.ReplaceAll(file(1), "\n", `\n`))) {
				t.Fatalf("not shaped: %s", sent)
			}
			a.goes(p, 1, file(2))
			a.goes(p, 2, file(3))
			sent := a.goes(p, 3, says)
			if n := bytes.Count(sent, []byte(strings.ReplaceAll(file(1), "\n", `\n`))); n != 1 {
				t.Errorf("the original came back %d times: %s", n, sent)
			}
			again := a.goes(p, 4, "x")
			if !bytes.HasPrefix(again, sent[:bytes.LastIndex(sent, []byte("f1"))]) {
				t.Errorf("the next request changed what was sent")
			}
			rec.Close()
			askedBack(t, s, a)
			if got := rec.Stats().Managed; got.Again != 1 || got.Shaped < 3 || got.Ended > 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// An agent that asks again for all that it misses makes few calls more: managing takes nothing more, then ends for the
// conversation, says why, and what it had taken comes back: behind what is cached.
func TestAskingAgainEndsManaging(t *testing.T) {
	var files []int
	for n := range 12 {
		files = append(files, n)
	}
	files = append(files, 0, 1, 2, 3, 4, 5) // the second ends managing: no call behind that misses anything
	s := pact.NewDB(store.NewMemory())
	p, a, rec := reading(t, s, `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","head":50,"tail":50}]}`, files...)
	var sent []byte
	for n, f := range files {
		sent = a.goes(p, n, file(f))
	}
	rec.Close()
	got := rec.Stats().Managed
	for n := range 12 {
		if !bytes.Contains(sent, []byte(strings.ReplaceAll(file(n), "\n", `\n`))) {
			t.Errorf("file %d has not come back", n)
		}
	}
	if got.Ended != 1 || got.Again != 2 || got.Computed.Repeats != 2 || !strings.Contains(got.Why, "asked again") {
		t.Errorf("%+v; sent %d bytes of %d", got, len(sent), len(a.lastBody))
	}
	askedBack(t, s, a)
	var why []string
	for p, err := range prefixesOf(t.Context(), opened(t, s, "chat"), "", nil) {
		must(t, err)
		if p.ManagingEnded != "" {
			why = append(why, p.ManagingEnded)
		}
	}
	if len(why) != 1 || why[0] != got.Why {
		t.Errorf("the calls say %q", why)
	}
	later := recorder(t, s, record.Options{Context: "chat", Manage: true, Policy: policyOf(t,
		`{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","head":50,"tail":50}]}`)})
	a.client.Transport = later.Transport(nil)
	p.Then(providertest.Turn{Calls: []providertest.Call{{ID: "new", Name: "read", Arguments: `{"file":"new"}`}}}, providertest.Turn{Text: "done"})
	a.ask("And?")
	a.call()
	a.result("new", "read", file(77))
	a.call()
	later.Close()
	all := p.Received()
	if last := all[len(all)-1].Body; !bytes.Contains(last, []byte(strings.ReplaceAll(file(77), "\n", `\n`))) ||
		!bytes.HasPrefix(last, sent[:bytes.LastIndex(sent, []byte("line of file"))]) {
		t.Errorf("a later recorder manages the conversation: %+v", later.Stats().Managed)
	}
}

// A recorder that does not manage sends what an earlier one shaped in the same bytes, shapes nothing more, and says so.
func TestWhatWasDecidedStaysWithoutManaging(t *testing.T) {
	for _, policy := range []string{"", `{"rules":[{"select":"[kind='result']","head":9}]}`} {
		s := pact.NewDB(store.NewMemory())
		p, a, rec := reading(t, s, `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","head":50,"tail":50,"ttl":2,"stub":true}]}`,
			1, 2, 3, 4, 5, 6)
		for n := range 4 {
			a.goes(p, n, file(n))
		}
		rec.Close()
		options := record.Options{Context: "chat"}
		if policy != "" {
			options.Policy = policyOf(t, policy)
		}
		plain := recorder(t, s, options)
		a.client.Transport = plain.Transport(nil)
		sent := a.goes(p, 4, file(9))
		plain.Close()
		before := p.Received()[4].Body
		if !bytes.HasPrefix(sent, before[:bytes.LastIndex(before, []byte(`"tool_result"`))]) ||
			!bytes.Contains(sent, []byte(strings.ReplaceAll(file(9), "\n", `\n`))) || !plain.Stats().Managed.Follows {
			t.Errorf("%+v: before %s\nnow %s", plain.Stats().Managed, before, sent)
		}
	}
}

// A note names an id that no other context has, also where two conversations use the same id for a call.
func TestNotesNameTheirOriginals(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	const shapes = `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","head":50,"tail":50}]}`
	for n := range 3 {
		p, a, rec := reading(t, s, shapes, n, 9)
		sent := string(a.goes(p, 0, file(n)))
		rec.Close()
		_, rest, _ := strings.Cut(sent, "left out here; ")
		id, _, _ := strings.Cut(rest, " has them")
		c, of, err := record.FindWhole(t.Context(), s, "", nil, id)
		must(t, err)
		original, err := record.Original(t.Context(), c.Working(), of)
		var text string
		if err == nil {
			err = json.Unmarshal(original, &text)
		}
		if err != nil || text != file(n) {
			t.Errorf("conversation %d: %s leads to %.60q, %v", n, id, text, err)
		}
		list, err := pact.List(t.Context(), s)
		must(t, err)
		for _, i := range list {
			if strings.HasSuffix(i.Name, "/originals") {
				continue
			}
			if _, err := opened(t, s, i.Name).Working().Node(id); err == nil {
				t.Errorf("%s has a block %s too", i.Name, id)
			}
		}
	}
}

// A program that never offers tools is managed from its second request on, and one without results is counted.
func TestAProgramWithoutToolsIsManaged(t *testing.T) {
	p, url := startProvider(t, reads(1, 2, 3)...)
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Manage: true, Policy: policyOf(t,
		`{"when":"now","max_tokens":10,"rules":[{"select":"[kind='result'][bytes>400]","head":50,"tail":50}]}`)})
	a := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
	delete(a.body, "tools")
	a.ask("Read.")
	a.call()
	for n := range 3 {
		a.goes(p, n, file(n))
	}
	rec.Close()
	if got := rec.Stats().Managed; got.Shaped != 3 || got.Plain != 1 || got.Over != 4 || got.Open != 0 {
		t.Errorf("%+v", got)
	}
}

// needsFiles has an agent read 20 files, and then need each of them once more: it reads again what the model has not whole
// before it. It returns what the provider counted, and how many calls that took.
func needsFiles(t *testing.T, form provider.API, policy string) (money float64, calls int, got record.Managed) {
	t.Helper()
	const files = 20
	p, url := startProvider(t)
	o := record.Options{Context: "chat", Strict: true}
	if policy != "" {
		o.Policy, o.Manage = policyOf(t, policy), true
		o.Prices = &record.Prices{AsOf: "2026-11-26", Currency: "USD", Models: []record.Price{
			{Model: "claude-sonnet-4-6", Input: 1, CacheRead: 0.1, CacheWrite: 1.25, CacheWrite1h: 2}}}
	}
	rec := recorder(t, pact.NewDB(store.NewMemory()), o)
	a := newAgent(t, form, url, rec.Transport(nil), false)
	a.body["model"], a.body["cache_control"] = "claude-sonnet-4-6", map[string]any{"type": "ephemeral"}
	a.body["system"] = strings.Repeat("Be kind. ", 800)
	a.ask("Read.")
	text := func(n int) string { return strings.Repeat(fmt.Sprint("line of file ", n, "\n"), 400) }
	next := func(name string, n int) {
		p.Then(providertest.Turn{Calls: []providertest.Call{{ID: fmt.Sprint("c", calls), Name: name, Arguments: fmt.Sprintf(`{"file":"f%d"}`, n)}}})
		a.call()
		says := "written"
		if name == "read" {
			says = text(n)
		}
		a.result(fmt.Sprint("c", calls), name, says)
		calls++
	}
	for n := range files {
		next("read", n)
	}
	for n := range files {
		all := p.Received()
		if last := all[len(all)-1].Body; !bytes.Contains(last, []byte(strings.ReplaceAll(text(n), "\n", `\n`))) {
			next("read", n)
		}
		next("write", n)
	}
	p.Then(providertest.Turn{Text: "done"})
	a.call()
	rec.Close()
	for _, r := range p.Received() {
		money += float64(r.Sent-r.Read-r.Written) + 0.1*float64(r.Read) + 1.25*float64(r.Written)
	}
	return money, calls + 1, rec.Stats().Managed
}

// An agent that reads again all that it misses makes few calls more, and with pays it never pays more: when managing ends,
// what was taken comes back behind what is cached.
func TestManagingIsNotDearerForAnAgentThatReadsAgain(t *testing.T) {
	without, plain, _ := needsFiles(t, provider.Messages, "")
	for n, policy := range []string{
		`"rules":[{"select":"[kind='result'][bytes>4000]","head":500,"tail":500}]`,
		`"rules":[{"select":"[kind='result'][bytes>4000]","head":500,"tail":500,"ttl":6,"stub":true},{"select":"[kind='result']","ttl":6,"stub":true}]`,
		`"max_tokens":4000,"protect_task":true,"ranks":{"result":-40},"stub":"[left out]"`,
	} {
		for _, when := range []string{"now", "pays"} {
			if testing.Short() && n == 0 {
				continue // it only shortens
			}
			with, calls, got := needsFiles(t, provider.Messages, `{"when":"`+when+`",`+policy+`}`)
			t.Logf("%s, %s: %d calls, without %d; %+.1f %% of the money; %d again, ended %d", policy, when, calls, plain,
				100*(with/without-1), got.Again, got.Ended)
			if calls > plain+4 || when == "pays" && with > without {
				t.Errorf("%s, %s: %d calls, without %d; %+.1f %% of the money; %+v", policy, when, calls, plain, 100*(with/without-1), got)
			}
		}
	}
}
