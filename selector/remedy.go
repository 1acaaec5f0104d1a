package selector

import "strings"

// The remedies of syntax errors. A mark such as <block> stands for the word that the
// edition uses.
const (
	stepRemedy     = "a step looks like .<block>, #<name>, ^seq, [role='user'], * or :first"
	hopRemedy      = "a hop looks like d1, <turn>, <cont>[offset=0], -1, 0:<block>, *:<block>[role='user'] or ?{kind=text}"
	placeRemedy    = "a place looks like (d0, <cont>[offset=0], end)"
	typeRemedy     = "a type begins with a letter: .<block>, .<block>:summary"
	beginsRemedy   = "a type begins with a dot (.<block>), <a name> with #"
	alsoHopRemedy  = ", a hop looks like d1 or *:<block>"
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
