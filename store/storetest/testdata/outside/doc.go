// Package outside is a store as anybody writes one who has only the public packages of this
// project: two maps, which a writer replaces as a whole.
package outside
