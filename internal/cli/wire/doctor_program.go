package wire

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
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
	status, says := http.StatusBadRequest, "pact doctor has got this call and passed it on to no provider"
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

// tryProgram runs a program as pact run does, and looks at the requests that come.
func tryProgram(ctx context.Context, a *command.App, args []string, patience time.Duration) (checkup, error) {
	known := agentOf(args[0])
	if err := known.unable(); err != nil {
		return checkup{Tried: "program", Says: known.names[0] + " takes addresses of providers from its own settings only",
			Remedy: known.refused}, nil
	}
	program, err := exec.LookPath(args[0])
	if err != nil {
		return checkup{}, fault.Wrap(fault.Store, err, "the program cannot be run", "")
	}
	if ask := hello[baseName(args[0])]; len(args) == 1 && ask != nil {
		args = slices.Concat(args, ask)
	}
	dir, err := os.MkdirTemp("", "pact-doctor-*")
	if err != nil {
		return checkup{}, err
	}
	defer os.RemoveAll(dir)
	c := child{args: slices.Clone(args), given: a.Env, upstreams: map[string]*url.URL{}, dir: dir}
	for _, one := range slices.Concat(clients, known.reads) {
		if c.upstreams[one.segment], err = proxy.ParseUpstream(a.Getenv(one.variable, one.provider)); err != nil {
			return checkup{}, err
		}
	}
	listener, err := proxy.Listen("127.0.0.1:0")
	if err != nil {
		return checkup{}, err
	}
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	came := &arrivals{called: func() { time.AfterFunc(time.Second, end) }} // it may end by itself meanwhile
	server := &http.Server{Handler: came, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends with Close
	defer server.Close()
	m := a.Meter("waiting for a call")
	defer m.End()
	said, err := runWatched(ctx, a, program, &c, known, "http://"+listener.Addr().String())
	if err != nil {
		return checkup{}, err
	}
	came.mu.Lock()
	defer came.mu.Unlock()
	return came.diagnosis(baseName(args[0]), said), nil
}

// runWatched runs a program until it ends or ctx does, and returns how it ended and what it said last.
func runWatched(ctx context.Context, a *command.App, program string, c *child, known agent, address string) (string, error) {
	c.point(known, address)
	if c.file != "" {
		if err := c.writeFile(); err != nil {
			return "", err
		}
	}
	cmd := exec.CommandContext(ctx, program, c.args[1:]...)
	cmd.WaitDelay = time.Second // what it started itself may keep its output open
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	for name, value := range a.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, c.env...)
	defer bind(cmd)()
	kill := inGroup(cmd)
	cmd.Cancel = kill
	err := cmd.Run()
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
		return "", fault.Wrap(fault.Store, err, "the program cannot be run", "")
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		how += ", and said last: " + last
	}
	return how, nil
}

// diagnosis says what the arrivals mean. said is how the program ended.
func (v *arrivals) diagnosis(name, said string) checkup {
	c := checkup{Tried: "program"}
	switch {
	case v.call != "":
		c.Works, c.Says = true, name+" calls pact: "+v.call
	case v.sockets > 0:
		c.Says = name + " opens a WebSocket, is refused, and does not go on over HTTP"
		c.Remedy = "turn WebSockets off in its settings, in Codex with -c model_providers.ID.supports_websockets=false; pact proxy " +
			"--websocket tunnel lets them pass unrecorded"
	case len(v.other) > 0:
		c.Says = view.Plural(len(v.other), "request") + " of " + name + " came, none of them a call of a model: " + v.other[0] + "; " + said
		c.Remedy = "give it arguments with which it asks its model something; pact records OpenAI chat completions and Responses, " +
			"Anthropic messages and Gemini generateContent"
	default:
		c.Says = "nothing of " + name + " came to the address that pact gave it; " + said
		c.Remedy = "give it arguments with which it asks its model something; if it does, it takes the address of its provider from its " +
			"own settings: start pact proxy --upstream URL, and set the address there"
	}
	return c
}
