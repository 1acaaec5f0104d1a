// Package prices has what providers charged on a day, and how large the windows of their models were, for
// runs for which nobody gives a list.
package prices
