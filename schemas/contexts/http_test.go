package contexts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
)

func TestHTTP(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	serve := func(path, kind, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Accept"), "application/ld+json") {
				t.Errorf("%s: Accept is %q", path, r.Header.Get("Accept"))
			}
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, text)
		})
	}
	serve("/c", "application/ld+json; charset=utf-8", `{"@context":{}}`)
	serve("/json", "application/json", `{}`)
	serve("/large", "application/json", strings.Repeat(" ", 100))
	serve("/html", "text/html", `<html>`)
	mux.Handle("/moved", http.RedirectHandler("/c", http.StatusFound))
	mux.Handle("/away", http.RedirectHandler("https://elsewhere.example/c", http.StatusFound))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	mux.HandleFunc("/alternate", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `</style>; rel="stylesheet", </c>; rel="alternate"; type="application/ld+json"`)
		w.Header().Set("Content-Type", "text/html")
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	host := strings.TrimPrefix(server.URL, "http://")
	l := NewHTTP(HTTPConfig{Allow: []string{host}, Limit: 50, Timeout: 200 * time.Millisecond})
	for path, want := range map[string]string{"/c": "/c", "/json": "/json", "/moved": "/c", "/alternate": "/c"} {
		doc, err := l.Load(context.Background(), server.URL+path)
		if err != nil || doc.URL != server.URL+want {
			t.Errorf("%s: %v, %v", path, doc, err)
		}
	}
	if l.Calls() != 5 {
		t.Errorf("%d calls", l.Calls())
	}
	for path, want := range map[string]string{
		server.URL + "/html":          `sent "text/html", not JSON`,
		server.URL + "/absent":        "404",
		server.URL + "/away":          "host elsewhere.example is not allowed",
		server.URL + "/loop":          "more than 5 redirects",
		server.URL + "/slow":          "deadline",
		"https://elsewhere.example/c": "is not allowed",
		"file:///etc/passwd":          "neither https nor http",
		"https://me:secret@" + host:   "holds credentials",
		"http://a b/":                 "invalid character",
	} {
		_, err := l.Load(context.Background(), path)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	var limit *canon.LimitError
	if _, err := l.Load(context.Background(), server.URL+"/large"); !errors.As(err, &limit) {
		t.Error(err)
	}

	// Without names only public addresses may be asked, and only by https.
	open := NewHTTP(HTTPConfig{})
	if _, err := open.Load(context.Background(), server.URL+"/c"); err == nil || !strings.Contains(err.Error(), "not https") {
		t.Error(err)
	}
	for _, u := range []string{"https://127.0.0.1:1/", "https://[::1]:1/", "https://10.0.0.1:1/", "https://169.254.169.254/", "https://[::ffff:127.0.0.1]:1/", "https://0.0.0.0:1/",
		"https://100.64.0.1:1/", "https://198.18.0.1:1/", "https://[64:ff9b::a9fe:a9fe]:1/", "https://[2002:7f00:1::]:1/", "https://[::7f00:1]:1/",
		"https://[fec0::1]:1/", "https://[2001:db8::1]:1/"} {
		if _, err := open.Load(context.Background(), u); err == nil || !strings.Contains(err.Error(), "is not public") {
			t.Errorf("%s: %v", u, err)
		}
	}
}
