package query

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// ParseSpec reads the description of a node to add (001 §6), such as
// block:text {key='hero', ttl=5} +featured. It fails with E_SELECTOR_INVALID,
// which names the token, if the text describes no node.
func ParseSpec(text string, e selector.Edition) (tree.Spec, error) {
	n, err := selector.ParseNode(text, e)
	if err != nil {
		return tree.Spec{}, err
	}
	s := tree.Spec{NodeType: n.Type, Tags: n.Tags}
	if base, kind, named := strings.Cut(n.Type, ":"); named && e.Traits().KindInType {
		if _, canonical := tree.ClassOfType(base); canonical {
			s.NodeType, s.Kind = base, kind
		}
	}
	for _, a := range n.Attrs {
		if err := setSpec(&s, a); err != nil {
			return tree.Spec{}, err
		}
	}
	return s, nil
}

// setSpec sets one attribute of a spec.
func setSpec(s *tree.Spec, a selector.Attr) error {
	texts := map[string]*string{"id": &s.ID, "role": &s.Role, "key": &s.Key, "provenance": &s.Provenance, "mime": &s.MIME,
		"encoding": &s.Encoding}
	numbers := map[string]*int64{"offset": &s.Offset, "priority": &s.Priority}
	flags := map[string]*bool{"pinned": &s.Pinned, "removable": &s.Removable}
	lists := map[string]*[]string{"tag": &s.Tags, "tags": &s.Tags, "ref": &s.Refs, "refs": &s.Refs}
	known := texts[a.Name] != nil || numbers[a.Name] != nil || flags[a.Name] != nil || lists[a.Name] != nil ||
		a.Name == "kind" || a.Name == "ttl" || a.Name == "cad"
	switch {
	case known && a.Op == selector.Eq && len(a.Values) == 1 && a.Values[0].Kind == selector.Null:
		return nil // null is not a value
	case lists[a.Name] != nil && a.Op == selector.Eq:
		for _, v := range a.Values {
			if v.Kind == selector.Null {
				return specError("null", "null cannot be a value of "+a.Name, "leave it out, or write it in quotes")
			}
			if !slices.Contains(*lists[a.Name], v.Text) {
				*lists[a.Name] = append(*lists[a.Name], v.Text)
			}
		}
		return nil
	case flags[a.Name] != nil && a.Op == selector.Present:
		*flags[a.Name] = true
		return nil
	case a.Op == selector.Present:
		return specError(a.Name, "the attribute "+a.Name+" has no value", "give one with =")
	case len(a.Values) > 1:
		return specError(a.Name, "the attribute "+a.Name+" takes one value", "only tags and refs are lists")
	}
	v := a.Values[0]
	switch {
	case texts[a.Name] != nil:
		*texts[a.Name] = v.Text
	case a.Name == "kind" && s.Kind != "" && s.Kind != v.Text:
		return specError(a.Name, "the kind is given twice", "leave it out after the type")
	case a.Name == "kind":
		s.Kind = v.Text
	case numbers[a.Name] != nil || a.Name == "ttl" || a.Name == "cad":
		n, err := strconv.ParseInt(v.Text, 10, 64)
		if err != nil {
			return specError(v.Text, a.Name+" is not a whole number of 64 bits", "write a number such as 5")
		}
		switch a.Name {
		case "ttl":
			s.TTL = &n
		case "cad":
			s.Cad = &n
		default:
			*numbers[a.Name] = n
		}
	case flags[a.Name] != nil && (v.Text == "true" || v.Text == "false"):
		*flags[a.Name] = v.Text == "true"
	case flags[a.Name] != nil:
		return specError(v.Text, a.Name+" is true or false", "write one of them")
	default:
		value, err := literalValue(v)
		if err != nil {
			return err
		}
		if a.Name == "content" {
			s.Content = value
			return nil
		}
		if s.Attrs == nil {
			s.Attrs = make(map[string]any)
		}
		s.Attrs[a.Name] = value
	}
	return nil
}

func specError(token, message, remedy string) error {
	return fault.At(fault.SelectorInvalid, fault.NoOffset, token, message, remedy)
}

// literalValue returns the value that a literal stands for.
func literalValue(l selector.Literal) (any, error) {
	switch {
	case l.Kind == selector.Null:
		return nil, nil
	case l.Kind == selector.Word && (l.Text == "true" || l.Text == "false"):
		return l.Text == "true", nil
	case l.Kind != selector.Number:
		return l.Text, nil
	}
	if n, ok := new(big.Int).SetString(l.Text, 10); ok {
		return n, nil
	}
	f, err := strconv.ParseFloat(l.Text, 64)
	if err != nil {
		return nil, specError(l.Text, "the number is out of range", "write a number nearer to 0")
	}
	return f, nil
}
