// Package sums keeps the books of an import. What a file holds is counted apart from its reader; what requests
// and answers were made of it is counted from these. Whatever the two counts do not share is a finding.
package sums
