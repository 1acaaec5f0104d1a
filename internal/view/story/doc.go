// Package story tells what happened in a context: what each call of a model sent and said, what
// it repeated of the call before, what pruning takes, and the whole in a few numbers.
package story
