package selector

import "strings"

// What remedies tell to write, with marks where the editions have words of
// their own.
const (
	stepRemedy     = "a step is such as .<block>, #<name>, ^seq, [role='user'], * or :first"
	hopRemedy      = "a hop is such as d1, <turn>, <cont>[offset=0], -1, 0:<block>, *:<block>[role='user'] or ?{kind=text}"
	placeRemedy    = "a place is such as (d0, <cont>[offset=0], end)"
	typeRemedy     = "a type begins with a letter: .<block>, .<block>:summary"
	beginsRemedy   = "a type begins with a dot (.<block>), <a name> with #"
	alsoHopRemedy  = ", a hop is such as d1 or *:<block>"
	hopFirstRemedy = "write the hops as a position, (d1, <cont>), or a step with a dot: .<cont>"
)

// inWords puts the words of the edition into a remedy.
func (p *parser) inWords(remedy string) string {
	name := "id"
	if p.traits.HashIsKey {
		name = "key"
	}
	return strings.NewReplacer("<turn>", p.traits.TurnType, "<cont>", p.traits.ContainerType, "<block>",
		p.traits.BlockType,
		"<name>", name, "<a name>", p.hashName()).Replace(remedy)
}

// hashName says what stands behind "#".
func (p *parser) hashName() string {
	if p.traits.HashIsKey {
		return "a key"
	}
	return "an id"
}
