package agents

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
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

// proxies are the variables by which programs find a proxy; most read them in small letters too.
var proxies = []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}

// notProxied are the variables that name what no proxy is asked for. Some programs read the second alone if it is set.
var notProxied = []string{"NO_PROXY", "no_proxy"}

// spare keeps a proxy from taking the calls for pact.
func (p *Program) spare() {
	if proxied(p.given) == "" {
		return
	}
	for _, name := range notProxied {
		list, set := p.given[name]
		if !set {
			list = p.given["NO_PROXY"] + p.given["no_proxy"]
		}
		if !spares(list) {
			p.Env = append(p.Env, name+"="+strings.TrimPrefix(list+",127.0.0.1", ","))
		}
	}
}

// spares reports whether every program takes a list to have loopback in it: many know no ranges, and * only alone.
func spares(list string) bool {
	return strings.TrimSpace(list) == "*" || slices.ContainsFunc(strings.Split(list, ","), func(one string) bool {
		return strings.TrimSpace(one) == "127.0.0.1"
	})
}

// proxied returns the variable whose proxy takes calls for loopback, "" for none.
func proxied(env map[string]string) string {
	set, spared := 0, 0
	for _, name := range notProxied {
		if list, isSet := env[name]; isSet {
			set++
			if spares(list) {
				spared++
			}
		}
	}
	if set > 0 && spared == set {
		return ""
	}
	for _, name := range proxies {
		if env[name] != "" {
			return name
		}
	}
	return ""
}

// aliases are variables that other libraries read for the same provider, and before those of its own.
var aliases = [][]string{
	{"ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE", "ANTHROPIC_API_URL"},
	{"OPENAI_BASE_URL", "OPENAI_API_BASE"},
	{"GOOGLE_GEMINI_BASE_URL"},
	{"GEMINI_API_BASE"}, // with another path, so that a program may be told both
}

// envFiles are the options by which runners are told a file of variables.
var envFiles = []string{"--env-file", "--env-file-if-exists"}

// resolveOther finds the addresses of a program that pact knows nothing of. Each variable that is set leads where it
// did, and the one that most libraries read leads there, too. What a file of variables sets that such programs often
// read cannot be known to count.
func resolveOther(p *Program) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var files []string
	from := []string{dir}
	for i, arg := range p.Args {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() { // a script, perhaps
			if whole, err := filepath.Abs(arg); err == nil && !slices.Contains(from, filepath.Dir(whole)) {
				from = append(from, filepath.Dir(whole))
			}
		}
		if file, joined := joinedTo(arg, envFiles...); joined {
			files = append(files, file)
		} else if slices.Contains(envFiles, arg) && i+1 < len(p.Args) {
			files = append(files, p.Args[i+1])
		}
	}
	for _, dir := range from {
		files = append(files, filepath.Join(dir, ".env.local"))
		for _, file := range upward(dir, nil, ".env") {
			if info, err := os.Stat(file); err == nil && !info.IsDir() { // the nearest alone is read
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
				break
			}
		}
	}
	var places layers
	if err := places.read(files...); err != nil {
		return err
	}
	for i, c := range []client{anthropic, openai, gemini, {aliases[3], "gemini-1", gemini.provider + "/v1beta"}} {
		set, told, to := 0, aliases[i], c.provider // told: what pact sets though the user did not
		for n, variable := range aliases[i] {
			if address := p.given[variable]; address != "" {
				name := c.segment
				if set++; set > 1 {
					name += "-" + string(rune('0'+n))
				}
				variables := []string{variable}
				if set == 1 {
					told, to = nil, address
					if n > 0 {
						told = c.variables
						variables = append(variables, told...)
					}
				}
				if err := p.route(name, address, variable, variables...); err != nil {
					return err
				}
			}
		}
		for _, variable := range told {
			if address, from := places.get(variable); address != "" && !leadsTo(address, to) {
				return unknown(from+" is "+shown(address)+", and pact cannot tell whether the program reads that file",
					"set the variable in the environment of the run, to that address if it does, else to "+to)
			}
		}
		if set > 0 {
			continue
		}
		if err := p.route(c.segment, c.provider, "", c.variables...); err != nil {
			return err
		}
	}
	return nil
}

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

// leadsTo reports whether an address is of the same scheme and host as that of a provider.
func leadsTo(address, provider string) bool {
	to, err := proxy.ParseUpstream(address)
	own, _ := url.Parse(provider)
	return err == nil && sameHost(to, own)
}

func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// shown returns an address without what may be a password.
func shown(address string) string {
	_, err := proxy.ParseUpstream(address)
	var f *fault.Error
	if strings.ContainsAny(address, "@?") && errors.As(err, &f) {
		return f.Token
	}
	return address
}

// routeBy adds the addresses that variables name, by the places that set them. No place but the environment may name a
// proxy that the program reaches them by: pact does not read it there.
func (p *Program) routeBy(places layers, clients ...client) error {
	for _, one := range places {
		for _, name := range proxies {
			value := one.values[name]
			if value != "" && value != p.given[strings.ToUpper(name)] && value != p.given[strings.ToLower(name)] {
				return unknown(one.place+" sets "+name+", and pact would pass the calls on without it", "set "+name+" in the environment of the run as well")
			}
		}
	}
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

// proxyAddress returns the address that the program takes for one: that of the proxy with the path of the other, so
// that the path of each call is the one that the program would have called.
func (p *Program) proxyAddress(name string) string {
	i := slices.IndexFunc(p.Routes, func(r Route) bool { return r.Name == name })
	return p.address + "/" + name + strings.TrimSuffix(p.Routes[i].To.EscapedPath(), "/")
}

// routed reports whether there is an address of a name.
func (p *Program) routed(name string) bool { return p.Upstreams[name] != nil }
