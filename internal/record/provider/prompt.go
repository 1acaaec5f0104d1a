package provider

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Prompt holds the parts of one request that a provider caches, in the provider's order.
type Prompt struct {
	Model    string
	Settings []string // values of the rules' settings, "" for a missing one
	Blocks   []Block
	Marks    []Marker // in the order of the blocks
	Edited   bool     // the request asks the provider to clear something
	word     string   // the word with which the request asks for a lifetime
	question int      // the message of the last question, if the provider takes the thinking before it out; -1 for none
}

// shared returns how many of the first blocks of two lists are the same because they are in the same array: nothing in it
// changes but that others are added behind.
func shared(a, b []Block) int {
	if cap(a) == 0 || cap(b) == 0 || &a[:1][0] != &b[:1][0] {
		return 0
	}
	return min(len(a), len(b))
}

// Marker says after which block the provider caches.
type Marker struct {
	Block    int    // the index of the block with it
	Lifetime string // its word
}

// Word returns the word with which the whole request asks for a lifetime, "" without one.
func (p *Prompt) Word() string { return p.word }

// Asks reports whether the request has a question of the user that ends an earlier turn, whose thinking the provider takes
// out.
func (p *Prompt) Asks() bool { return p.question >= 0 }

// forgetsThinking reports whether the provider removes the thinking of earlier turns for a model.
func (rules *CacheRules) forgetsThinking(model string) bool {
	return len(rules.Forgets) > 0 && matchesModel(model, rules.Forgets)
}

// Block is one part of a request at its place in the prompt.
type Block struct {
	Section
	Kind, Name string
	Stripped   bool  // the provider removes it before it caches
	Cleared    bool  // the provider puts a placeholder in its place, as the request asks
	turnsOn    uint8 // a bit for each of the rules' settings that its content or that of a block before decides
	message    int   // index of its message, -1 outside of messages
	hash       [sha256.Size]byte
}

// Read reads the prompt of a request. model is the model that the path names,
// for bodies without one.
func (rules *CacheRules) Read(r *Request, model string) *Prompt {
	return rules.ReadNext(r, model, Hashes{})
}

// ReadParts reads the prompt of parts of which no content is known but the hashes of [HashOf], and nothing beside them.
func (rules *CacheRules) ReadParts(list []Part, model string, hashes [][sha256.Size]byte) *Prompt {
	p := &Prompt{}
	rules.ReadHashed(p, &Request{Parts: list}, model, 0, func(i int) [sha256.Size]byte { return hashes[i] })
	p.Settings = make([]string, len(rules.Settings))
	return p
}

// ReadNext is Read for the calls of one conversation: it takes the hashes of the
// parts that an earlier call had from known, and adds those of new parts. Cost:
// linear in the number of parts, and in the bytes of the new ones.
func (rules *CacheRules) ReadNext(r *Request, model string, known Hashes) *Prompt {
	p := &Prompt{}
	rules.ReadHashed(p, r, model, 0, func(i int) [sha256.Size]byte { return known.Of(&r.Parts[i]) })
	return p
}

// ReadHashed is Read with the hash of each part, into a prompt of the same rules, of whose blocks the first ones, so many
// as same says, are those of the parts in their place. The prompt goes on in the array of its blocks if all of them are;
// else it takes another, for what was read before stays as it is. Cost: linear in the other parts.
func (rules *CacheRules) ReadHashed(p *Prompt, r *Request, model string, same int, hashOf func(i int) [sha256.Size]byte) {
	before := *p
	*p = Prompt{Model: cmp.Or(r.Model, model), question: staysWhole, Edited: len(get(r.Parameters, clearingName, "edits").Elems) > 0}
	if before.Edited || p.Edited {
		same = 0
	}
	if rules.forgetsThinking(p.Model) && !clearsThinking(r) {
		known := same
		if before.question == staysWhole {
			known = 0
		}
		p.question = lastQuestion(r, known, before.question)
	}
	same = before.untouched(same, p.question)
	if p.Blocks = before.Blocks[:same]; same < len(before.Blocks) {
		p.Blocks = slices.Clip(p.Blocks)
	}
	p.Blocks = slices.Grow(p.Blocks, len(r.Parts)-same)
	Looks.Add(int64(len(r.Parts) - same))
	on := uint8(0)
	if same > 0 {
		on = p.Blocks[same-1].turnsOn
	}
	for i := same; i < len(r.Parts); i++ {
		part := &r.Parts[i]
		on |= rules.turnsOn(part)
		p.Blocks = append(p.Blocks, Block{Section: part.Section, Kind: part.Kind, Name: part.Name, message: part.Message,
			hash: hashOf(i), turnsOn: on, Stripped: part.Kind == "thinking" && part.Message < p.question ||
				rules.Stripped != "" && part.Section == System && strings.HasPrefix(part.Content.Text, rules.Stripped)})
	}
	for _, i := range r.Marked {
		p.Marks = append(p.Marks, Marker{i, get(r.Parts[i].Marker, "ttl").Text})
	}
	for i := range rules.Settings {
		p.Settings = append(p.Settings, rules.Settings[i].value(r, on>>i&1 == 1))
	}
	p.clear(r)
	if marker := get(r.Parameters, "cache_control"); rules.Marked && marker.Kind == canon.KindObject {
		if last := (Marker{p.lastMarkable(), get(marker, "ttl").Text}); last.Block >= 0 {
			at, has := slices.BinarySearchFunc(p.Marks, last.Block, func(m Marker, block int) int { return m.Block - block })
			if !has {
				p.Marks = slices.Insert(p.Marks, at, last)
			}
			p.Marks[at] = last
		}
	}
	p.word = get(r.Parameters, "prompt_cache_retention").Text
	if ttl := get(r.Parameters, "prompt_cache_options", "ttl").Text; ttl != "" {
		p.word = ttl
	}
}

// staysWhole is the question of a prompt of which the provider takes no thinking out.
const staysWhole = -2

// untouched returns how many of the first blocks, of so many, stay as they are once the last question is another: the
// provider takes the thinking before it out.
func (p *Prompt) untouched(blocks, question int) int {
	from, to := min(p.question, question), max(p.question, question)
	for i := blocks - 1; i >= 0 && from < to && p.Blocks[i].message >= from; i-- {
		if p.Blocks[i].Kind == "thinking" && p.Blocks[i].message < to {
			blocks = i
		}
	}
	return blocks
}

// lastQuestion returns the index of the last message of the user that has no result of a tool, -1 if there is none. known
// is that of a request whose first parts, so many as same says, are those of this one. Cost: that of the parts from there
// on, or behind the message that ends them.
func lastQuestion(r *Request, same, known int) int {
	for i := len(r.Parts); i > 0; {
		message, asks, results := r.Parts[i-1].Message, false, false
		if i < same && known < message {
			return known
		}
		for ; i > 0 && r.Parts[i-1].Message == message; i-- {
			p := &r.Parts[i-1]
			asks, results = asks || p.Section == Conversation && p.Role == "user", results || p.Kind == "result"
		}
		if asks && !results {
			return message
		}
	}
	return -1
}

// clearsThinking reports whether a request says itself how much thinking the
// provider keeps.
func clearsThinking(r *Request) bool {
	edits := get(r.Parameters, "context_management", "edits")
	return slices.ContainsFunc(edits.Elems, func(e canon.Any) bool {
		return strings.HasPrefix(get(e, "type").Text, "clear_thinking")
	})
}

// lastMarkable returns the block that a marker of the whole request applies to:
// the last block that may have a marker, which thinking may not; -1 for none.
func (p *Prompt) lastMarkable() int {
	i := len(p.Blocks) - 1
	for i >= 0 && (p.Blocks[i].Kind == "thinking" || p.Blocks[i].Stripped) {
		i--
	}
	return i
}

// reasoning counts the blocks of reasoning from the n-th block on that the model
// may see.
func (p *Prompt) reasoning(n int) (count int) {
	for i := n; i < len(p.Blocks); i++ {
		if p.Blocks[i].Kind == "thinking" && !p.Blocks[i].Stripped {
			count++
		}
	}
	return count
}

// begin counts the blocks before a section.
func (p *Prompt) begin(s Section) int {
	n := 0
	for n < len(p.Blocks) && p.Blocks[n].Section < s {
		n++
	}
	return n
}

// Hashes holds the hashes of the parts that earlier calls had. It recognizes a
// part whose content is a scalar by its text, and any other by the memory of its
// elements: requests that share their parsed contents share the hashes.
type Hashes map[identity][sha256.Size]byte

// identity is equal only for parts that say the same to a model. It refers to
// the content, so that no other value can take its memory.
type identity struct {
	kind, role, call, name string
	failed                 bool
	form                   canon.Kind
	text                   string
	elems                  *canon.Any
	members                *canon.Member
	count                  int
}

func identityOf(p *Part) identity {
	id := identity{kind: p.Kind, role: p.Role, call: p.Call, name: p.Name, failed: p.Failed,
		form: p.Content.Kind, text: p.Content.Text, count: len(p.Content.Elems) + len(p.Content.Members)}
	if len(p.Content.Elems) > 0 {
		id.elems = &p.Content.Elems[0]
	}
	if len(p.Content.Members) > 0 {
		id.members = &p.Content.Members[0]
	}
	return id
}

// Of returns the hash of a part. It is equal for parts that say the same to a
// model.
func (h Hashes) Of(p *Part) [sha256.Size]byte {
	id := identityOf(p)
	hash, ok := h[id]
	if !ok {
		hash = hashOf(p)
		h[id] = hash
	}
	return hash
}

// HashOf returns the hash of a part whose content has a hash.
func HashOf(p *Part, content [sha256.Size]byte) [sha256.Size]byte {
	of := *p
	of.Content = canon.Text(hex.EncodeToString(content[:]))
	return hashOf(&of)
}

func hashOf(p *Part) [sha256.Size]byte {
	failed := canon.Any{Kind: canon.KindBool, Text: string(canon.Bool(p.Failed))}
	return sha256.Sum256([]byte(canon.ArrayOf(canon.Text(p.Kind), canon.Text(p.Role), canon.Text(p.Call),
		canon.Text(p.Name), failed, p.Content).Value()))
}
