package agents

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/view"
)

// hello are the arguments with which an agent asks its model something and ends.
var hello = map[string][]string{"claude": {"-p", "hello"}, "codex": {"exec", "--skip-git-repo-check", "hello"},
	"gemini": {"-p", "hello"}, "opencode": {"run", "hello"}, "pi": {"-p", "hello"}}

// arrivals is what came to the address that a program was given.
type arrivals struct {
	mu      sync.Mutex
	call    string // the first call of a model
	other   []string
	sockets int
	called  func() // on the first call
}

// ServeHTTP answers every request itself and asks no provider.
func (v *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	what := r.Method + " " + r.URL.Path
	_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	w.Header().Set("Content-Type", "application/json")
	status, says := http.StatusBadRequest, "this call came to a trial, which passed it on to no provider"
	switch {
	case strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade"):
		v.sockets++
		status, says = http.StatusUpgradeRequired, "WebSockets are refused so that calls can be recorded: use HTTP"
	case provider.APIOf(r.Method, "/"+rest) != "":
		if v.call == "" {
			v.call = what
			v.called()
		}
	default:
		v.other = append(v.other, what)
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"type":"error","error":{"type":"invalid_request_error","message":"` + says + `"}}`))
}

// TryProgram looks where a program would call, and runs it as pact run does. It answers the requests that come, the
// first call of a model ends it, and so does patience.
func TryProgram(ctx context.Context, args []string, env map[string]string, patience time.Duration) ([]Checkup, error) {
	name, _ := named(args)
	p, err := NewProgram(args, env)
	if err == nil {
		err = p.readable()
	}
	list := p.tried(name, err)
	if err != nil {
		return append(list, Checkup{Tried: "program", Says: name + " was not run, because pact cannot tell from its settings where its calls go",
			Remedy: "change what is named above, then try again"}), nil
	}
	if ask := hello[name]; len(args) == p.word+1 && ask != nil {
		p.Args = slices.Concat(p.Args, ask)
	}
	if err := p.Find(); err != nil {
		return nil, err
	}
	listener, err := proxy.Listen("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	came := &arrivals{called: func() { time.AfterFunc(time.Second, end) }} // it may end by itself meanwhile
	server := &http.Server{Handler: came, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends with Close
	defer server.Close()
	p.Point("http://" + listener.Addr().String())
	said, err := p.watch(ctx)
	if err != nil {
		return nil, err
	}
	came.mu.Lock()
	defer came.mu.Unlock()
	return append(list, came.diagnosis(name, said)), nil
}

// watch runs a program until it ends or ctx does, and returns how it ended and what it said last.
func (p *Program) watch(ctx context.Context) (string, error) {
	cmd, done, err := p.Command(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	cmd.WaitDelay = time.Second // what it started itself may keep its output open
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	kill := inGroup(cmd)
	cmd.Cancel = kill
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		_ = kill() // what holds its output; there is none if that left the group
	}
	how := "it ended by itself"
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		how = "it was still running"
	case errors.As(err, &failed):
		how = "it ended with " + failed.String()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", CannotRun(err)
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		how += ", and said last: " + last
	}
	return how, nil
}

// diagnosis says what the arrivals mean. said is how the program ended.
func (v *arrivals) diagnosis(name, said string) Checkup {
	c := Checkup{Tried: "program"}
	switch {
	case v.call != "":
		c.Works, c.Says = true, name+" calls pact: "+v.call
	case v.sockets > 0:
		c.Says = name + " opens a WebSocket, is refused, and does not go on over HTTP"
		c.NeedsProxy, c.Remedy = true, "turn WebSockets off in its settings, in Codex with -c model_providers.ID.supports_websockets=false, "+
			"or start a proxy that lets them pass unrecorded"
	case len(v.other) > 0:
		c.Says = view.Plural(len(v.other), "request") + " of " + name + " came, none of them a call of a model: " + v.other[0] + "; " + said
		c.Remedy = "give it arguments with which it asks its model something; pact records OpenAI chat completions and Responses, " +
			"Anthropic messages and Gemini generateContent"
	default:
		c.Says = "nothing of " + name + " came to the address that pact gave it; " + said
		c.NeedsProxy, c.Remedy = true, "give it arguments with which it asks its model something; if it does, it takes the address of its provider from its "+
			"own settings: start a proxy for that provider, and set its address there"
	}
	return c
}
