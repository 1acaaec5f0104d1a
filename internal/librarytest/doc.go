// Package librarytest has the tests of the library as a whole: what one layer alone cannot show, from the models of
// histories to damaged files and erased texts. It has no code; the folder of the library shows the library.
package librarytest
