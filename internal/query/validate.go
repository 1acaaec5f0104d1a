package query

import (
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

// validate refuses a selector that a program built and that no text stands for,
// such as one without steps or with a comparison without values.
func validate(s *selector.Selector) error {
	if s == nil || s.Edition.Traits() == (selector.Traits{}) {
		return incomplete("there is no selector, or it names no edition")
	}
	for _, g := range s.Groups {
		for _, step := range g.Steps {
			for _, part := range step.Parts {
				if err := validatePart(part); err != nil {
					return err
				}
			}
			if len(step.Parts) == 0 {
				return incomplete("a step has no parts")
			}
		}
		if len(g.Steps) == 0 {
			return incomplete("a group has no steps")
		}
	}
	if len(s.Groups) == 0 {
		return incomplete("the selector has no groups")
	}
	return nil
}

func validatePart(part selector.Part) error {
	switch part := part.(type) {
	case selector.Attr:
		return validateAttr(part)
	case selector.Search:
		if err := validateHops(part.Within); err != nil {
			return err
		}
		return validateAttrs(part.Attrs)
	case selector.Position:
		if len(part.Hops) == 0 {
			return incomplete("a position has no hops")
		}
		return validateHops(part.Hops)
	}
	return nil
}

func validateHops(list []selector.Hop) error {
	for _, hop := range list {
		if err := validateAttrs(hop.Attrs); err != nil {
			return err
		}
	}
	return nil
}

func validateAttrs(list []selector.Attr) error {
	for _, a := range list {
		if err := validateAttr(a); err != nil {
			return err
		}
	}
	return nil
}

func validateAttr(a selector.Attr) error {
	ordered := a.Op != selector.Present && a.Op != selector.Eq && a.Op != selector.Ne
	switch n := len(a.Values); {
	case a.Op == selector.Present && n > 0, a.Op != selector.Present && n == 0, n > 1 && a.Op != selector.Eq:
		return incomplete("the comparison of " + a.Name + " does not have the values that its operator takes")
	case ordered && a.Values[0].Kind == selector.Null:
		return incomplete("null has no order and matches no pattern")
	}
	return nil
}

func incomplete(message string) error {
	return fault.New(fault.SelectorInvalid, message, "build selectors with selector.Parse, which refuses incomplete ones")
}
