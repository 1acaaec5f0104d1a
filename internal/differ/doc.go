// Package differ compares two trees node by node, by id (chapter 05 §4). Package
// diff has the types of its results.
package differ
