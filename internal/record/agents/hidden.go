package agents

import (
	"net/http"
	"slices"
	"strings"
)

// Misled says why a request must not go on to where the proxy passes it, "" if it may. A known agent that a script or
// another program started was not looked for when this one was: its own settings may name another address for its key
// than the one that this program has. The request may go on if they name the same one. Cost: reading these settings, for
// the first request of such an agent.
func (p *Program) Misled(h http.Header) string {
	says := strings.ToLower(h.Get("User-Agent"))
	at := slices.IndexFunc(agents, func(a agent) bool { return a.mark != "" && strings.HasPrefix(says, a.mark) })
	own, _ := named(p.Args)
	if at < 0 {
		// With OPENAI_BASE_URL set some libraries for Azure call that, with Azure's key or, as a Bearer, its token. Those
		// that say their name read no other variable, so that pact set it if the user did not.
		newer := strings.Contains(says, "azureopenai/")
		if (newer || h.Get("Api-Key") != "") && agentOf(own).resolve == nil && p.routed("openai") &&
			(p.Upstreams["openai"].Host == "api.openai.com" || newer && p.given["OPENAI_BASE_URL"] == "") {
			return "a call with a key of Azure, whose address pact does not know; set OPENAI_BASE_URL to it, or start the program without pact"
		}
		return ""
	}
	name := agents[at].names[0]
	if slices.Contains(agents[at].names, own) {
		return ""
	}
	p.hidden.Lock()
	defer p.hidden.Unlock()
	why, known := p.misled[name]
	if !known {
		why = p.misledOf([]string{name}, p.given)
		if why != "" {
			why = "a call of " + why
		}
		if p.misled == nil {
			p.misled = map[string]string{}
		}
		p.misled[name] = why
	}
	return why
}

// misledOf looks where an agent would call without pact, and says why that is not where this program calls.
func (p *Program) misledOf(args []string, env map[string]string) string {
	name := baseName(args[0])
	remedy := "; start it as pact run -- " + name
	hidden, err := NewProgram(args, env)
	if err != nil {
		return name + ", and pact cannot tell from its settings where it goes: " + err.Error() + remedy
	}
	for _, r := range hidden.Routes {
		if r.From == "" && !slices.ContainsFunc(p.Routes, func(own Route) bool { return own.Name == r.Name }) {
			continue // a provider's public address, which no variable of this program leads away from
		}
		same := slices.ContainsFunc(p.Routes, func(own Route) bool {
			return own.Name == r.Name && sameHost(own.To, r.To)
		})
		if !same {
			return name + ", whose own settings send it to " + r.To.String() + remedy
		}
	}
	return ""
}
