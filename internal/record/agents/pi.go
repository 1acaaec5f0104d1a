package agents

import (
	"cmp"
	"path/filepath"
	"strings"
)

// resolvePi: models.json has the address of a provider, else pi has it itself. An extension tells it of the proxy.
func resolvePi(p *Program) error {
	dir := cmp.Or(p.given["PI_CODING_AGENT_DIR"], filepath.Join(p.home(), ".pi", "agent"))
	file := filepath.Join(dir, "models.json")
	models, err := readSettings(file)
	if err != nil {
		return err
	}
	providers := tableAt(models, "providers")
	for _, id := range names(providers) {
		address := textAt(providers, id, "baseUrl")
		list, _ := at(providers, id, "models").([]any)
		for _, m := range list {
			model, _ := m.(map[string]any)
			own := textAt(model, "baseUrl")
			if address == "" {
				address = own
			}
			if own != "" && own != address {
				return unknown(file+" gives models of the provider "+id+" different addresses", "divide the provider into two there")
			}
		}
		if address == "" {
			continue
		}
		if !bareKey.MatchString(id) {
			return unknown(file+" has a provider "+id+", which no path of an address can name", "name it by letters, digits, - and _")
		}
		if err := p.route(id, address, file+": providers."+id+".baseUrl"); err != nil {
			return err
		}
	}
	for _, c := range []client{anthropic, openai, {nil, "google", "https://generativelanguage.googleapis.com/v1beta"}} {
		if p.routed(c.segment) {
			continue
		}
		if err := p.route(c.segment, c.provider, ""); err != nil {
			return err
		}
	}
	chosen := p.option("--provider")
	if model := p.option("--model"); chosen == "" && strings.Contains(model, "/") {
		chosen, _, _ = strings.Cut(model, "/")
	}
	for _, file := range []string{".pi/settings.json", filepath.Join(dir, "settings.json")} {
		settings, err := readSettings(file)
		if err != nil {
			return err
		}
		chosen = cmp.Or(chosen, textAt(settings, "defaultProvider"))
	}
	if chosen != "" && !p.routed(chosen) {
		return unknown("pi calls the provider "+chosen+", whose address pact does not know", "set providers."+chosen+".baseUrl in "+file)
	}
	p.File = "pi.js"
	p.steer = func() {
		p.Holds = "export default function (pi) {\n"
		for _, r := range p.Routes {
			p.Holds += `  pi.registerProvider("` + r.Name + `", { baseUrl: "` + p.proxyAddress(r.Name) + "\" });\n"
		}
		p.Holds += "}\n"
		p.insert("-e", filepath.Join(p.Dir, p.File))
	}
	return nil
}
