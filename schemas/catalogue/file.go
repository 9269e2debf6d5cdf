package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/userfile"
	"canonscope/schemas"
)

// maxFile bounds the bytes of a user's file.
const maxFile = 64 << 20

// IsFile reports whether a name is that of a file, not of the catalogue: a path or what [ReadFile] returned.
func IsFile(name string) bool {
	if strings.HasPrefix(name, schemas.FilePrefix) || strings.ContainsAny(name, `/\`) {
		return true
	}
	return slices.Contains([]string{".json", ".jsonld", ".nq", ".nt"}, filepath.Ext(name))
}

// ReadFile reads a user's file once, so that all who measure it see the same bytes. The name, for [OfFile],
// has no folder; the hash in it keeps files apart that are called the same.
func ReadFile(path string) (name string, doc []byte, err error) {
	doc, err = userfile.Read(path, maxFile)
	var kind *userfile.KindError
	switch {
	case errors.As(err, &kind):
		return "", nil, err
	case err != nil:
		return "", nil, fmt.Errorf("schema %q is neither a name of the catalogue nor a readable file: %w",
			path, err)
	case len(doc) > maxFile:
		return "", nil, &canon.LimitError{Limit: "bytes of a file", Max: maxFile, Done: maxFile + 1,
			Where: path}
	}
	return fileName(filepath.Base(path), doc), doc, nil
}

// Changed names a changed copy of the document of a file, for [OfFile]: by the change, the file and the
// bytes.
func Changed(name, change string, doc []byte) string {
	title, _ := schemas.FileTitle(name)
	return fileName(change+":"+title[:max(0, strings.LastIndexByte(title, '@'))], doc)
}

func fileName(base string, doc []byte) string {
	const digits = 4 // bytes
	sum := sha256.Sum256(doc)
	return schemas.FilePrefix + url.PathEscape(base) + "@" + hex.EncodeToString(sum[:digits])
}

// file is a generator that returns one document of the user each time.
type file struct {
	name, title string
	c           schemas.Credential
}

func (f *file) Name() string       { return f.name }
func (f *file) Kind() schemas.Kind { return f.c.Kind }
func (f *file) Describe() string {
	if f.c.Kind != schemas.Claims {
		return "the document in " + f.title
	}
	return "the credential in " + f.title
}

// Document returns the credential for any seed and index.
func (f *file) Document(_ uint64, i int) (*schemas.Credential, error) {
	c := f.c
	c.Index = i
	return &c, nil
}

// OfFile returns the generator of a document that [ReadFile] has read. What ends in .nq or .nt is N-Quads.
// JSON is a credential as [Parse] reads one, unless it has neither an issuer nor a credentialSubject: then it
// is JSON-LD with a context, plain JSON without.
func OfFile(name string, doc []byte) (schemas.Generator, error) {
	title, ok := schemas.FileTitle(name)
	at := strings.LastIndexByte(title, '@')
	if !ok || at < 0 {
		return nil, fmt.Errorf("%q is not the name of a file that was read", name)
	}
	base := title[:at]
	if fileName(base, doc) != name {
		return nil, fmt.Errorf("the bytes that are given for %s have another hash", title)
	}

	f := &file{name: name, title: title}
	if ext := filepath.Ext(base); ext == ".nq" || ext == ".nt" {
		f.c = schemas.Credential{Kind: schemas.NQuads, VCDM: doc}
	} else if err := f.readJSON(doc); err != nil {
		return nil, err
	}
	f.c.Schema = name
	return f, nil
}

func (f *file) readJSON(src []byte) error {
	var t jsontape.Tape
	bare, err := withoutProof(&t, src)
	if err != nil {
		return err
	}
	if t.Get(0, "issuer") < 0 && t.Get(0, "credentialSubject") < 0 {
		f.c = schemas.Credential{Kind: schemas.JSON, VCDM: src}
		if t.Get(0, "@context") >= 0 {
			f.c = schemas.Credential{Kind: schemas.JSONLD, VCDM: bare}
		}
		return nil
	}
	c, err := credentialOf(&t, bare)
	if err == nil {
		f.c = *c
	}
	return err
}

// Parse reads a credential of the user: an object with type, issuer and credentialSubject, which may be a
// list. Its proof is omitted. A quarter of the subject's members is disclosed; issuer and date always are.
func Parse(src []byte) (*schemas.Credential, error) {
	var t jsontape.Tape
	src, err := withoutProof(&t, src)
	if err != nil {
		return nil, err
	}
	return credentialOf(&t, src)
}

// withoutProof scans a document and returns it without its proof.
func withoutProof(t *jsontape.Tape, src []byte) ([]byte, error) {
	if err := t.Scan(src, jsontape.Options{}); err != nil {
		return nil, err
	}
	if k := t.Key(0, "proof"); k >= 0 {
		src = t.AppendWithout(nil, 0, k)
		return src, t.Scan(src, jsontape.Options{})
	}
	return src, nil
}

// credentialOf reads the credential on a tape.
func credentialOf(t *jsontape.Tape, src []byte) (*schemas.Credential, error) {
	c := &schemas.Credential{Kind: schemas.Claims, VCDM: src, Mandatory: []string{"/issuer"}}
	text := func(i int) string { return string(t.Text(i)) }
	types := t.Get(0, "type")
	switch {
	case types >= 0 && t.Nodes[types].Kind == jsontape.String:
		c.Types = []string{text(types)}
	case types >= 0 && t.Nodes[types].Kind == jsontape.Array:
		for e := range t.Elements(types) {
			if t.Nodes[e].Kind == jsontape.String {
				c.Types = append(c.Types, text(e))
			}
		}
	}

	issuer := t.Get(0, "issuer")
	if issuer >= 0 && t.Nodes[issuer].Kind == jsontape.Object {
		issuer = t.Get(issuer, "id")
	}

	subject := t.Get(0, "credentialSubject")
	pointers, ok := subjectMembers(t, subject)
	switch {
	case len(c.Types) == 0:
		return nil, errors.New("a credential needs a type")
	case issuer < 0 || t.Nodes[issuer].Kind != jsontape.String:
		return nil, errors.New("a credential needs an issuer: an IRI or an object with an id")
	case !ok:
		return nil, errors.New(
			"a credential needs a credentialSubject: an object with members or a list of them")
	}

	c.Issuer = text(issuer)
	c.Subject = t.Raw(subject)
	c.Disclose = pointers[:max(1, len(pointers)/4)]

	for _, date := range []string{"validFrom", "issuanceDate"} {
		if i := t.Get(0, date); i >= 0 && t.Nodes[i].Kind == jsontape.String {
			c.Mandatory = append(c.Mandatory, "/"+date)
			break
		}
	}

	return c, nil
}

// subjectMembers returns the pointers of the members of a subject, or of all subjects in a list; ok is
// false if a subject has no members.
func subjectMembers(t *jsontape.Tape, subject int) (pointers []string, ok bool) {
	const at = "/credentialSubject"
	if subject < 0 || t.Len(subject) == 0 {
		return nil, false
	}
	add := func(n int, at string) bool {
		if t.Nodes[n].Kind != jsontape.Object || t.Len(n) == 0 {
			return false
		}
		for k := range t.Members(n) {
			pointers = append(pointers, at+"/"+jsontape.EscapeToken(string(t.Text(k))))
		}
		return true
	}
	if t.Nodes[subject].Kind != jsontape.Array {
		ok = add(subject, at)
		return pointers, ok
	}
	i := 0
	for e := range t.Elements(subject) {
		if !add(e, fmt.Sprintf("%s/%d", at, i)) {
			return nil, false
		}
		i++
	}
	return pointers, true
}
