package sample

func Tested() {}
