package agents

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/contexttree/pact/fault"
)

// Program is a program and the way to run it.
type Program struct {
	Args        []string
	Env         []string            // "NAME=value", in addition to the environment of this process
	Routes      []Route             // every address that the proxy passes calls on to
	Upstreams   map[string]*url.URL // the same without their paths, by name
	Dir         string              // a folder for this one run
	File, Holds string              // the name and the text of a file in it that the program reads, "" for none
	Note        string              // for its user
	Warns       bool                // Note is for every run: calls may go unrecorded
	NeedsProxy  bool                // the error says to start a proxy, as pact cannot tell the program an address

	ofRoot    bool              // it reads that file only where root alone may write
	path      string            // the file to run, once it was found
	given     map[string]string // the environment of this process
	word      int               // which argument names the agent
	variables [][2]string       // a variable, and the name of the route that it tells
	steer     func()            // tells it of the proxy by other ways than variables; nil for none
	address   string            // of the proxy

	hidden sync.Mutex
	misled map[string]string // by the name of an agent that it started
}

// NewProgram returns a program as a user typed it, in an environment, with every address that it would call without
// pact. E_DOCUMENT_INVALID if one cannot be known: the program is not to be started.
func NewProgram(args []string, env map[string]string) (*Program, error) {
	name, word := named(args)
	known := agentOf(name)
	p := &Program{Args: slices.Clone(args), Upstreams: map[string]*url.URL{}, Note: known.says, given: env, word: word}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	p.Dir = filepath.Join(cache, "pact-run-"+strconv.Itoa(os.Getpid()))
	switch {
	case known.refused != "":
		return p, p.untold(known.names[0]+" takes addresses of providers from its own settings only", known.refused)
	case known.resolve != nil:
		return p, known.resolve(p)
	}
	if err := resolveOther(p); err != nil {
		return p, err
	}
	return p, p.scripted()
}

// readable is the error for a file that the program would not read, so that it is not started.
func (p *Program) readable() error {
	if p.File == "" || !p.ofRoot || onlyRoot(p.Dir) {
		return nil
	}
	return unknown("no setting says how Gemini CLI signs in, and it takes that from a file of pact only where nobody but root may write, "+
		"which "+filepath.Dir(p.Dir)+" is not", "set security.auth.selectedType to gemini-api-key in "+filepath.Join(p.home(), ".gemini", "settings.json"))
}

// Find looks for the file to run.
func (p *Program) Find() (err error) {
	p.path, err = exec.LookPath(p.Args[0])
	if err != nil {
		return CannotRun(err)
	}
	return nil
}

// CannotRun returns the error for a program that does not start: E_NOT_FOUND if there is none of that name.
func CannotRun(err error) error {
	code, remedy := fault.Store, ""
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code, remedy = fault.NotFound, "check its name, install it, or give its path"
	}
	return fault.Wrap(code, err, "the program cannot be run", remedy)
}

// Point makes the program call the proxy at an address. The proxy passes nothing on but to the routes.
func (p *Program) Point(address string) {
	p.address = address
	p.spare()
	for _, pair := range p.variables {
		p.Env = append(p.Env, pair[0]+"="+p.proxyAddress(pair[1]))
	}
	if p.steer != nil {
		p.steer()
	}
}

// Command returns the command that runs the program and that the system asks to end when this process is
// killed, and writes the file that the program reads. The goroutine that calls Command waits for the program,
// then it calls done.
func (p *Program) Command(ctx context.Context) (cmd *exec.Cmd, done func(), err error) {
	if err := p.readable(); err != nil {
		return nil, nil, err
	}
	if p.File != "" {
		err := os.MkdirAll(p.Dir, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(p.Dir, p.File), []byte(p.Holds), 0o600)
		}
		if err != nil {
			_ = os.RemoveAll(p.Dir)
			return nil, nil, fault.Wrap(fault.Store, err, "the program needs a file that cannot be written",
				"make room on the disk, and check the permissions of the folder")
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
