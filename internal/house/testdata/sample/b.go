package sample

func helper() int { return hidden }
