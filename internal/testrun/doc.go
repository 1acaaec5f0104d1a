// Package testrun tells a test what kind of run it is part of, so that all tests
// choose in one way what they leave out (CONTRIBUTING.md). Only tests import it.
package testrun
