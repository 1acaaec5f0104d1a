package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// countNames counts the names in the declarations of the files.
func (m *measurement) countNames(files []*ast.File) {
	for _, file := range files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				m.countFunc(d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					m.countSpec(d, spec)
				}
			}
		}
	}
	for _, list := range [...][]string{m.exported, m.undocumented, m.undocumentedMethods, m.uncommented} {
		slices.Sort(list)
	}
}

func (m *measurement) countFunc(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		m.name(d.Name.Name, d.Doc != nil)
		return
	}
	receiver := receiverType(d.Recv.List[0].Type)
	if !ast.IsExported(receiver) {
		return
	}
	if m.methods++; d.Doc == nil {
		m.undocumentedMethods = append(m.undocumentedMethods, receiver+"."+d.Name.Name)
	}
}

// receiverType returns the name of a receiver's type.
func receiverType(x ast.Expr) string {
	switch t := x.(type) {
	case *ast.StarExpr:
		return receiverType(t.X)
	case *ast.IndexExpr:
		return receiverType(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// countSpec counts a type, or the names in a group of constants or variables.
// For the latter a comment behind the name or above the group is enough.
func (m *measurement) countSpec(d *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			m.name(s.Name.Name, d.Doc != nil || s.Doc != nil)
			m.countFields(s)
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && (d.Tok == token.CONST || d.Tok == token.VAR) {
				m.name(n.Name, d.Doc != nil || s.Doc != nil || s.Comment != nil)
			}
		}
	}
}

func (m *measurement) name(name string, documented bool) {
	m.exported = append(m.exported, name)
	if !documented {
		m.undocumented = append(m.undocumented, name)
	}
}

func (m *measurement) countFields(s *ast.TypeSpec) {
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range t.Fields.List {
		for _, n := range f.Names {
			if !n.IsExported() {
				continue
			}
			if m.fields++; f.Doc == nil && f.Comment == nil {
				m.uncommented = append(m.uncommented, s.Name.Name+"."+n.Name)
			}
		}
	}
}
