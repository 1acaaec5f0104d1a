package agents

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/proxy"
)

// client says how a program learns the address of a provider.
type client struct {
	variable string // the environment variable
	segment  string // the first path segment, by which the proxy recognizes the provider
	path     string // the path that programs expect after the host
	provider string // the provider's base address
}

var clients = []client{
	{"ANTHROPIC_BASE_URL", "anthropic", "", "https://api.anthropic.com"},
	{"OPENAI_BASE_URL", "openai", "/v1", "https://api.openai.com/v1"},
	{"GOOGLE_GEMINI_BASE_URL", "gemini", "", "https://generativelanguage.googleapis.com"},
}

// Program is a program and the way to run it.
type Program struct {
	Args        []string
	Env         []string            // "NAME=value", in addition to the environment of this process
	Upstreams   map[string]*url.URL // where the proxy passes calls on, by the first segment of their paths
	Dir         string              // a folder for this one run
	File, Holds string              // the name and the text of a file in it that the program reads, "" for none
	Note        string              // for its user

	path  string            // the file to run, once it was found
	given map[string]string // the environment of this process
	base  map[string]string // the address that programs take for that of a provider, by the segment
	known agent
}

// NewProgram returns a program as a user typed it, in an environment.
func NewProgram(args []string, env map[string]string) (*Program, error) {
	known := agentOf(args[0])
	p := &Program{Args: slices.Clone(args), Upstreams: map[string]*url.URL{}, Note: known.says, given: env, known: known}
	if known.refused != "" {
		return p, fault.New(fault.DocumentInvalid, known.names[0]+" takes addresses of providers from its own settings only", known.refused)
	}
	for _, one := range slices.Concat(clients, known.reads) {
		address := env[one.variable]
		if address == "" {
			address = one.provider
		}
		to, err := proxy.ParseUpstream(address)
		if err != nil {
			return p, err
		}
		p.Upstreams[one.segment] = to
	}
	return p, nil
}

// Find looks for the file to run.
func (p *Program) Find() (err error) {
	p.path, err = exec.LookPath(p.Args[0])
	if err != nil {
		return CannotRun(err)
	}
	return nil
}

// CannotRun returns the error for a program that does not start.
func CannotRun(err error) error { return fault.Wrap(fault.Store, err, "the program cannot be run", "") }

// Point makes the program call the proxy at an address.
func (p *Program) Point(address string) {
	p.base = map[string]string{}
	for _, one := range slices.Concat(clients, p.known.reads) {
		p.base[one.segment] = address + "/" + one.segment + one.path
		p.Env = append(p.Env, one.variable+"="+p.base[one.segment])
	}
	if p.known.prepare != nil {
		p.known.prepare(p)
	}
}

// Command returns the command that runs the program and that the system asks to end when this process is
// killed, and writes the file that the program reads. The goroutine that calls Command waits for the program,
// then it calls done.
func (p *Program) Command(ctx context.Context) (cmd *exec.Cmd, done func(), err error) {
	if p.File != "" {
		err := os.MkdirAll(p.Dir, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(p.Dir, p.File), []byte(p.Holds), 0o600)
		}
		if err != nil {
			_ = os.RemoveAll(p.Dir)
			return nil, nil, fault.Wrap(fault.Store, err, "the program needs a file that cannot be written", "")
		}
	}
	cmd = exec.CommandContext(ctx, p.path, p.Args[1:]...)
	for name, value := range p.given {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	cmd.Env = append(cmd.Env, p.Env...) // of two entries with one name the last counts
	release := bind(cmd)
	return cmd, func() {
		release()
		if p.File != "" {
			_ = os.RemoveAll(p.Dir)
		}
	}, nil
}
