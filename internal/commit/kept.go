package commit

import (
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
)

// PolicyAttr is the attribute of the root that holds the policy of a context.
const PolicyAttr = "pact:policy"

// KeptPolicy reads the text of that attribute; nil for "". It returns E_DOCUMENT_INVALID for one that is no policy.
func KeptPolicy(text string) (*lifecycle.Policy, error) {
	if text == "" {
		return nil, nil
	}
	p, err := lifecycle.ParsePolicy([]byte(text))
	if err != nil {
		f := fault.Wrap(fault.DocumentInvalid, err, "the attribute "+PolicyAttr+" of the root is no policy",
			"keep another policy, or none")
		f.Token = PolicyAttr
		return nil, f
	}
	return &p, nil
}
