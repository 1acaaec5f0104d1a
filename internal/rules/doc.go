// Package rules compiles the selectors of the rules of a policy. Package lifecycle, which follows
// the rules, knows no selectors.
package rules

import ()
