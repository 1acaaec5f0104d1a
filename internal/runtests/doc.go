// Runtests runs go test with its own arguments. It prints one line for each package
// as soon as that package is done, then the output of failing tests, and at the end
// which tests were left out and why. It fails if go test fails.
//
// The go command alone prints packages in the order of their names: a slow package
// holds back the results of all that follow it.
package main
