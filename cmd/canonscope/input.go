package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/jsonld"
	"canonscope/canon/userfile"
	"canonscope/compare/sdjwt"
	"canonscope/schemas/contexts"
	"canonscope/vcdm/rules"
)

// readInput reads FILE, or standard input for "-". It reads little more than the limit, which the reader of
// the document then reports.
func readInput(cmd *cobra.Command, file string, limits canon.Limits) ([]byte, error) {
	in := cmd.InOrStdin()
	if file != "-" {
		f, err := userfile.Open(file)
		var kind *userfile.KindError
		switch {
		case errors.As(err, &kind) && kind.Folder():
			return nil, fmt.Errorf("%s is a folder; name the files in it, such as %s", file,
				filepath.Join(file, "*.json"))
		case err != nil:
			return nil, missing(cmd, file, err)
		}
		defer f.Close()
		in = f
	}
	return userfile.ReadUpTo(in, int64(limits.WithDefaults().Bytes))
}

// missing adds a hint to the error of a missing file that may be the host of --allow-network, because a
// flag with an optional value takes it only after =.
func missing(cmd *cobra.Command, file string, err error) error {
	network := cmd.Flags().Lookup("allow-network")
	if !errors.Is(err, fs.ErrNotExist) || network == nil || !network.Changed ||
		!strings.Contains(network.Value.String(), anyHost) {
		return err
	}
	return fmt.Errorf("%w; if it is a host, write --allow-network=%s", err, file)
}

// nameOf is the name of an input in errors.
func nameOf(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// nQuads matches the start of a statement.
var nQuads = regexp.MustCompile(`^(<[A-Za-z][A-Za-z0-9+.-]*:|_:)`)

// notJSON describes an input that cannot be JSON, for which a parser would only report an unexpected
// character; "" if it may be JSON.
func notJSON(doc []byte) string {
	switch text := bytes.TrimLeft(doc, " \t\r\n"); {
	case len(text) == 0:
		return "is empty"
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return "is UTF-16; JSON must be UTF-8"
	case bytes.HasPrefix(doc, []byte("\x1f\x8b")):
		return "is compressed by gzip; gunzip -c prints its content"
	case bytes.HasPrefix(doc, []byte("PK\x03\x04")):
		return "is a ZIP archive, not JSON"
	case bytes.HasPrefix(doc, []byte("%PDF-")):
		return "is a PDF, not JSON; extract an embedded credential first"
	case bytes.HasPrefix(text, []byte("-----BEGIN ")):
		return "is PEM, a key or a certificate, not JSON"
	case nQuads.Match(text):
		return "holds N-Quads, not JSON"
	case bytes.HasPrefix(text, []byte("eyJ")):
		return "is a token in base64url, such as an SD-JWT, not JSON"
	case text[0] == '<':
		return "holds HTML or XML, not JSON"
	}
	return ""
}

// foreignError reports that an input is a JOSE object that other software verifies.
type foreignError struct{ file, what, remedy string }

func (e *foreignError) Error() string {
	return fmt.Sprintf("%s is %s, not an SD-JWT", nameOf(e.file), e.what)
}

// checkForeign refuses a JOSE object that is not an SD-JWT.
func checkForeign(file string, doc []byte) error {
	if what, remedy := sdjwt.Foreign(doc); what != "" {
		return &foreignError{file, what, remedy}
	}
	return nil
}

// checkJSON refuses an input that cannot be JSON.
func checkJSON(file string, doc []byte) error {
	if what := notJSON(doc); what != "" {
		return fmt.Errorf("%s %s", nameOf(file), what)
	}
	return nil
}

// isPresentation reports whether a document is a presentation, not a credential.
func isPresentation(file string, doc []byte, limits canon.Limits) (bool, error) {
	if err := checkJSON(file, doc); err != nil {
		return false, err
	}
	presentation, err := rules.IsPresentation(doc, limits)
	if err != nil {
		return false, fmt.Errorf("%s: %w", nameOf(file), err)
	}
	return presentation, nil
}

// Defaults of the command that are larger than those of the library, which fit a service.
const (
	defaultMemory    = 256 << 20
	defaultDocuments = 64
)

// addEngine adds the flag of the engine; what describes its role, as in "what canonicalizes".
func addEngine(cmd *cobra.Command, engine *canon.Engine, what string, of []canon.Engine) {
	cmd.Flags().StringVar((*string)(engine), "engine", string(canon.Native), what+": "+
		strings.Join(choice.Names(of), ", "))
}

// addSizes adds the limits of documents. --timeout bounds the time.
func addSizes(cmd *cobra.Command, limits *canon.Limits) {
	limits.Time = -1
	addLimit(cmd.Flags(), &limits.Bytes, "max-bytes", 0,
		fmt.Sprintf("limit of the document's size; default %d MiB", canon.DefaultBytes>>20))
	addLimit(cmd.Flags(), &limits.Depth, "max-depth", 0,
		fmt.Sprintf("limit of the nesting of JSON; default %d", canon.DefaultDepth))
	addLimit(cmd.Flags(), &limits.Memory, "max-memory", defaultMemory, "limit of working memory in bytes")
}

// addWork adds the limits of work on RDF and contexts.
func addWork(cmd *cobra.Command, limits *canon.Limits) {
	addLimit(cmd.Flags(), &limits.Work, "max-work", 0,
		fmt.Sprintf("limit of n-degree calls plus permutations; default %d", canon.DefaultWork))
	addLimit(cmd.Flags(), &limits.Documents, "max-documents", defaultDocuments,
		"limit of context documents that are loaded")
	addSteps(cmd, limits)
}

// addSteps adds the limit for a library that does not count its steps.
func addSteps(cmd *cobra.Command, limits *canon.Limits) {
	cmd.Flags().Var(&limitFlag[int64]{to: &limits.Steps, none: true}, "max-steps",
		fmt.Sprintf("limit of the estimated steps of json-gold, or none; default %d", canon.DefaultSteps))
}

// directionFlag is --rdf-direction: how RDF represents the base direction of a text.
type directionFlag string

const noDirection = "none"

var directions = []string{canon.I18nDatatype, canon.CompoundLiteral, noDirection}

// String, Set and Type implement pflag.Value.
func (d *directionFlag) String() string { return string(*d) }

func (d *directionFlag) Set(text string) error {
	if !slices.Contains(directions, text) {
		return fmt.Errorf("choose %s", strings.Join(directions, ", "))
	}
	*d = directionFlag(text)
	return nil
}

func (d *directionFlag) Type() string { return "string" }

func (d *directionFlag) add(cmd *cobra.Command, preset string) {
	*d = directionFlag(preset)
	cmd.Flags().Var(d, "rdf-direction", "how RDF represents base directions: "+strings.Join(directions, ", ")+
		", which refuses them")
}

// option is the flag as an option of an engine.
func (d *directionFlag) option() string {
	if *d == noDirection {
		return ""
	}
	return string(*d)
}

// contextFlags are the sources of contexts, in this order: single files, folders, embedded contexts, and
// the network if that is allowed.
type contextFlags struct {
	files   []string // URL=FILE
	dirs    []string
	network []string // hosts

	resources []string // URL=FILE, whose digests are compared

	given jsonld.Loader // over files and folders, once they are read
}

// anyHost means every host with a public address.
const anyHost = "*"

func (f *contextFlags) add(cmd *cobra.Command) {
	f.addOffline(cmd)
	cmd.Flags().StringSliceVar(&f.network, "allow-network", nil,
		"load other contexts by https; --allow-network=`HOST`,... from these hosts only")
	cmd.Flags().Lookup("allow-network").NoOptDefVal = anyHost
}

// addOffline adds the flags without the network, for what is repeatable.
func (f *contextFlags) addOffline(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.files, "context", nil, "serve context `URL=FILE` from a file; may repeat")
	cmd.Flags().StringArrayVar(&f.dirs, "contexts", nil,
		"serve contexts from a folder `DIR` with an index.json; may repeat")
}

func (f *contextFlags) loader() (jsonld.Loader, error) {
	docs, err := f.read()
	if err != nil {
		return nil, err
	}
	f.given = contexts.Given(docs)
	loaders := []jsonld.Loader{f.given, contexts.Embedded()}
	if len(f.network) > 0 {
		hosts := f.network
		if slices.Contains(hosts, anyHost) {
			hosts = nil
		}
		loaders = append(loaders, contexts.NewHTTP(contexts.HTTPConfig{Allow: hosts}))
	}
	return contexts.Chain(loaders...), nil
}

// read returns the contexts of the files and folders by their URLs: of a URL that several have the first.
func (f *contextFlags) read() (map[string][]byte, error) {
	docs, err := readNamed("context", f.files)
	if err != nil {
		return nil, err
	}
	for _, dir := range f.dirs {
		folder, err := contexts.Dir(dir)
		if err != nil {
			return nil, err
		}
		for url, b := range folder.Served() {
			if docs[url] == nil {
				docs[url] = b
			}
		}
	}
	return docs, nil
}

// readNamed reads the files of a flag with values URL=FILE.
func readNamed(flag string, list []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, s := range list {
		i := strings.LastIndexByte(s, '=') // a URL may also contain one
		if i <= 0 {
			return nil, fmt.Errorf("--%s %s: want URL=FILE", flag, s)
		}
		path := s[i+1:]
		b, err := userfile.ReadAll(path)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		files[s[:i]] = b
	}
	return files, nil
}

func (f *contextFlags) addResources(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.resources, "resource", nil,
		"compare digests of the related resource `URL=FILE` with a file; may repeat")
}

// hashes returns the digests of possible related resources: the files of --resource, the contexts that the
// flags give, whose loader has been made, and the built-in contexts.
func (f *contextFlags) hashes() (rules.Hashes, error) {
	files, err := readNamed("resource", f.resources)
	if err != nil {
		return nil, err
	}
	known := rules.HashesOf(files)
	var mu sync.Mutex
	loaded := map[string]rules.Hashes{}
	return func(url, algorithm string) ([]byte, bool) {
		if _, ok := files[url]; ok {
			return known(url, algorithm)
		}
		mu.Lock()
		defer mu.Unlock()
		if loaded[url] == nil {
			doc, err := f.given.Load(context.Background(), url)
			if err != nil {
				return builtIn(url, algorithm)
			}
			loaded[url] = rules.HashesOf(map[string][]byte{url: doc.Bytes})
		}
		return loaded[url](url, algorithm)
	}, nil
}

// builtIn returns the official digests of the contexts that are built in.
func builtIn(url, algorithm string) ([]byte, bool) {
	c, err := contexts.Find(url)
	if err != nil || c.URL != url {
		return nil, false
	}
	text := map[string]string{"sha256": c.SHA256, "sha384": c.SHA384}[algorithm]
	digest, err := hex.DecodeString(text)
	return digest, err == nil && text != ""
}
