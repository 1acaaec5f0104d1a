package agents

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/proxy"
)

// Route is one address that a program would call without pact, where pact sends its calls on.
type Route struct {
	Name string   // the first segment of the path, by which the proxy recognizes the address
	To   *url.URL // with its path
	From string   // where it stands: a variable, or a file and what is in it; "" if it is the program's own default
}

// client says by which variables a program learns the address of a provider.
type client struct {
	variables []string // the first that is set counts
	segment   string
	provider  string // the address without any
}

var (
	anthropic = client{[]string{"ANTHROPIC_BASE_URL"}, "anthropic", "https://api.anthropic.com"}
	openai    = client{[]string{"OPENAI_BASE_URL"}, "openai", "https://api.openai.com/v1"}
	gemini    = client{[]string{"GOOGLE_GEMINI_BASE_URL"}, "gemini", "https://generativelanguage.googleapis.com"}
)

// route adds an address of which the program is told by the variables, if any, and in what steer does.
// E_DOCUMENT_INVALID for what is no address, such as one with a variable in it.
func (p *Program) route(name, address, from string, variables ...string) error {
	to, err := proxy.ParseUpstream(address)
	if err != nil || strings.ContainsAny(address, "{}$`") {
		where := from
		if where == "" {
			where = "the address"
		}
		return unknown(where+" is "+shown(address)+", and pact cannot tell which address that is",
			"write the address in full there, such as https://gateway.example/v1, without user, query or variable")
	}
	p.Routes = append(p.Routes, Route{name, to, from})
	p.Upstreams[name] = &url.URL{Scheme: to.Scheme, Host: to.Host}
	for _, variable := range variables {
		p.variables = append(p.variables, [2]string{variable, name})
	}
	return nil
}

// shown returns an address without what may be a password.
func shown(address string) string {
	_, err := proxy.ParseUpstream(address)
	var f *fault.Error
	if strings.ContainsAny(address, "@?") && errors.As(err, &f) {
		return f.Token
	}
	return address
}

// routeBy adds the addresses that variables name, by the places that set them.
func (p *Program) routeBy(places layers, clients ...client) error {
	for _, c := range clients {
		address, from := places.get(c.variables...)
		if address == "" {
			address = c.provider
		}
		if err := p.route(c.segment, address, from, c.variables...); err != nil {
			return err
		}
	}
	return nil
}

// told returns the address that the program takes for one: that of the proxy with the path of the other, so that
// the path of each call is the one that the program would have called.
func (p *Program) told(name string) string {
	i := slices.IndexFunc(p.Routes, func(r Route) bool { return r.Name == name })
	return p.address + "/" + name + strings.TrimSuffix(p.Routes[i].To.EscapedPath(), "/")
}

// routed reports whether there is an address of a name.
func (p *Program) routed(name string) bool { return p.Upstreams[name] != nil }
