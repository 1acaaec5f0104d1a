package sessions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/internal/safefile"
)

// Session is a session of an agent.
type Session struct {
	Agent   string    `json:"agent"`
	ID      string    `json:"id"`
	Folder  string    `json:"folder,omitempty"` // in which the agent worked
	Changed time.Time `json:"changed"`
	Path    string    `json:"path"`  // of the file that holds it
	Reads   bool      `json:"reads"` // pact imports what this agent keeps
	storage string    // of opencode: the folder with its sessions as JSON; "" for its database
}

// agents lists where agents keep a file for each session.
var agents = []struct {
	name     string
	variable string // names the folder
	home     string // the folder without it, below the home of the user
	pattern  string // of the files below the folder
	reads    bool
}{
	{"Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "projects/*/*.jsonl", true},
	{"Codex", "CODEX_HOME", ".codex", "sessions/*/*/*/rollout-*.jsonl*", true},
	{"Gemini CLI", "GEMINI_CLI_HOME", "", ".gemini/tmp/*/chats/session-*.json*", true},
	{"pi", "PI_CODING_AGENT_DIR", ".pi/agent", "sessions/*/*.jsonl", false},
}

// Agents returns the names of the agents whose sessions are found, for people.
func Agents() (list string) {
	for _, a := range agents {
		list += a.name + ", "
	}
	return strings.TrimSuffix(list, ", ") + " and " + nameOpencode
}

// Newest returns the sessions that changed last, the newest first, at most as many as most. env is the
// environment. It leaves out unreadable sessions; for a database of opencode that cannot be read the error says
// so, beside the sessions of the other agents. Cost: the times of all files of sessions, and the beginning of
// those that are returned.
func Newest(ctx context.Context, env map[string]string, most int) ([]Session, error) {
	home := cmp.Or(env["HOME"], env["USERPROFILE"])
	var list []Session
	for _, a := range agents {
		root := cmp.Or(env[a.variable], filepath.Join(home, filepath.FromSlash(a.home)))
		err := each(root, a.pattern, func(name string, info fs.FileInfo) {
			if base := path.Base(name); !strings.HasPrefix(base, "agent-") { // a sub-agent, which comes with its session
				list = append(list, Session{Agent: a.name, ID: idOf(base), Changed: info.ModTime(), Reads: a.reads,
					Path: filepath.Join(root, filepath.FromSlash(name))})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	of, err := opencode(ctx, filepath.Join(cmp.Or(env["XDG_DATA_HOME"], filepath.Join(home, ".local", "share")), "opencode"), most)
	list = append(list, of...)
	slices.SortFunc(list, func(a, b Session) int {
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Path+a.ID, b.Path+b.ID))
	})
	list = list[:min(most, len(list))]
	for i := range list {
		if list[i].Folder == "" {
			list[i].Folder = folderOf(list[i].Path)
		}
	}
	return list, err
}

// At returns the session that a file holds, by where it stands, nil for any other file. env is the environment.
func At(env map[string]string, file string) *Session {
	home := cmp.Or(env["HOME"], env["USERPROFILE"])
	file = resolved(file)
	for _, a := range agents {
		root := cmp.Or(env[a.variable], filepath.Join(home, filepath.FromSlash(a.home)))
		below, err := filepath.Rel(resolved(root), file)
		if err != nil || !filepath.IsAbs(root) {
			continue
		}
		base := filepath.Base(file)
		if is, err := path.Match(a.pattern, filepath.ToSlash(below)); err == nil && is && !strings.HasPrefix(base, "agent-") {
			return &Session{Agent: a.name, ID: idOf(base), Reads: a.reads, Path: file, Folder: folderOf(file)}
		}
	}
	return nil
}

// resolved returns the absolute name of a file without symbolic links; as it is if there is no such file.
func resolved(name string) string {
	if whole, err := filepath.Abs(name); err == nil {
		name = whole
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// Name returns the name of the context of a session: FOLDER/ID, with the last part of the folder.
func (s *Session) Name() string {
	if folder := filepath.Base(filepath.Clean(s.Folder)); s.Folder != "" && folder != string(filepath.Separator) {
		return folder + "/" + s.ID
	}
	return s.ID
}

// each calls found with every regular file below a root that has a pattern. A relative root is that of a user
// without a home.
func each(root, pattern string, found func(name string, info fs.FileInfo)) error {
	if !filepath.IsAbs(root) {
		return nil
	}
	below := os.DirFS(root)
	names, err := fs.Glob(below, pattern)
	for _, name := range names {
		if info, err := fs.Stat(below, name); err == nil && info.Mode().IsRegular() {
			found(name, info)
		}
	}
	return err
}

var (
	endings = regexp.MustCompile(`\.(jsonl|json)(\.gz|\.zst)?$`)
	codexID = regexp.MustCompile(`^rollout-[0-9T:-]+?-([0-9a-f]{8}-[0-9a-f-]{27})$`)
)

// idOf returns the id that the name of a file holds.
func idOf(base string) string {
	id := endings.ReplaceAllString(base, "")
	if m := codexID.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return id
}

// mostInfo is how many bytes of a file of a session are read as a whole.
const mostInfo = 256 << 20

// headOf is how much of a file is looked at for the folder.
const headOf = 64 << 10

var workingDir = regexp.MustCompile(`"cwd" ?: ?("(?:[^"\\]|\\.)*")`)

// folderOf returns the first folder that a session says it worked in, "" for none.
func folderOf(name string) (folder string) {
	file, err := safefile.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	head := make([]byte, headOf)
	n, _ := file.Read(head)
	if m := workingDir.FindSubmatch(head[:n]); m != nil {
		_ = json.Unmarshal(m[1], &folder) // else it stays unknown
	}
	return folder
}

// Text returns a session of opencode as its export writes it, nil for the session of another agent, which
// is the file at its path.
func (s *Session) Text(ctx context.Context) ([]byte, error) {
	var info any
	var messages []message
	var err error
	switch {
	case s.storage != "":
		info, messages, err = stored(s.storage, s)
	case s.Agent == nameOpencode:
		info, messages, err = inDatabase(ctx, s)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = json.NewEncoder(&text).Encode(map[string]any{"info": info, "messages": messages})
	return text.Bytes(), err
}

// leastOfID is how many letters of an id name a session. Fewer may be a mistyped file.
const leastOfID = 8

// ByID returns the session whose id is a text, or begins with one of at least 8 letters; nil if there is none
// or more than one.
func ByID(list []Session, id string) *Session {
	exactly := func(s Session) bool { return s.ID == id }
	begins := func(s Session) bool { return len(id) >= leastOfID && strings.HasPrefix(s.ID, id) }
	at := slices.IndexFunc(list, exactly)
	if at < 0 {
		at = slices.IndexFunc(list, begins)
		if at < 0 || slices.ContainsFunc(list[at+1:], begins) {
			return nil
		}
	}
	return &list[at]
}

// missing reports whether a file is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
