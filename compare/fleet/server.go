package fleet

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// ServerOptions are those of an embedded server.
type ServerOptions struct {
	Dir      string   // where it keeps what is under way
	Listen   string   // HOST:PORT
	Store    int64    // most bytes that it keeps; 0 is most of what is free
	Login    string   // file: on each line USER:PASSWORD, or the public NKey of a user
	Operator string   // file: JWT of an operator, with Accounts, for users with credentials
	Accounts []string // files: JWT of the account of the users, and of that of the system
	Cert     string   // file with certificate and key: TLS
	CA       string   // file: users must have a certificate that is signed by one of these
	Log      func(string)

	free func(dir string) (int64, error) // bytes of the disk; nil asks the system
}

// ErrOpen is the error of a server that is open to a network.
var ErrOpen = errors.New("only a loopback address may be listened on without TLS and logins: " +
	"give --cert, and --login or --operator")

// Server is a running server.
type Server struct {
	server   *server.Server
	dir      string
	accounts []string // that store
	lock     *os.File
	log      *logger
	open     context.Context // until it is closed
	end      context.CancelFunc
}

// Serve starts a server and returns when it can be used. Each message is on the disk before it is
// acknowledged.
func Serve(o ServerOptions) (_ *Server, err error) {
	host, text, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("%s is not HOST:PORT: %w", o.Listen, err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%s is not HOST:PORT", o.Listen)
	}
	if !loopback(host) && (o.Cert == "" || o.Login == "" && o.Operator == "") {
		return nil, fmt.Errorf("%s: %w", o.Listen, ErrOpen)
	}

	opts := &server.Options{ServerName: "canonscope", Host: host, Port: int(port), NoSigs: true,
		JetStream: true, StoreDir: o.Dir, SyncAlways: true, JetStreamMaxStore: o.Store,
		MaxPayload: maxPayload, MaxControlLine: 4096, DisableShortFirstPing: true}
	if port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	s := &Server{dir: o.Dir}
	if s.accounts, err = o.logins(opts); err != nil {
		return nil, err
	}
	if err := o.tls(opts); err != nil {
		return nil, err
	}

	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	if s.lock, err = lockFile(filepath.Join(o.Dir, "lock")); err != nil {
		return nil, fmt.Errorf("folder %s: %w", o.Dir, err)
	}
	if s.server, err = server.NewServer(opts); err != nil {
		s.lock.Close()
		return nil, err
	}
	s.open, s.end = context.WithCancel(context.Background())
	s.log = &logger{tell: o.Log, fatal: make(chan string, 1), broken: make(chan string, 1)}
	s.server.SetLoggerV2(s.log, false, false, false)
	s.server.Start()
	for begun := time.Now(); !s.server.ReadyForConnections(startTime / 100); {
		why := ""
		select {
		case why = <-s.log.fatal:
		default:
			if time.Since(begun) > startTime {
				why = "it takes too long"
			}
		}
		if why != "" {
			s.Close()
			return nil, fmt.Errorf("the server did not start: %s", why)
		}
	}
	if o.free == nil {
		o.free = freeOf
	}
	s.guard(o.free)
	return s, nil
}

const startTime = 20 * time.Second

// URL is where a server is reached.
func (s *Server) URL() string { return s.server.ClientURL() }

// Close stops a server. What is under way goes on when it starts again.
func (s *Server) Close() {
	s.end()
	s.server.Shutdown()
	s.server.WaitForShutdown()
	s.lock.Close()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// logins reads who may use a server, and returns the accounts that store.
func (o *ServerOptions) logins(opts *server.Options) (accounts []string, err error) {
	if (o.Operator == "") != (len(o.Accounts) == 0) {
		return nil, errors.New("--operator and --account go together")
	}
	if o.Operator != "" {
		return o.operator(opts)
	}

	accounts = []string{server.DEFAULT_GLOBAL_ACCOUNT}
	if o.Login == "" {
		return accounts, nil
	}
	text, err := os.ReadFile(o.Login)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		user, password, pair := strings.Cut(line, ":")
		switch {
		case line == "":
		case nkeys.IsValidPublicUserKey(line):
			opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{Nkey: line})
		case pair && user != "" && password != "":
			opts.Users = append(opts.Users, &server.User{Username: user, Password: password})
		default:
			return nil, fmt.Errorf("%s:%d is neither USER:PASSWORD nor the public NKey of a user", o.Login, n)
		}
	}
	if len(opts.Users)+len(opts.Nkeys) == 0 {
		return nil, fmt.Errorf("%s names no user", o.Login)
	}
	return accounts, nil
}

// operator trusts the users of one account, who have credentials.
func (o *ServerOptions) operator(opts *server.Options) (accounts []string, err error) {
	operator, err := server.ReadOperatorJWT(o.Operator)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Operator, err)
	}
	if operator.SystemAccount == "" {
		return nil, fmt.Errorf("%s names no account of the system, which JetStream needs", o.Operator)
	}
	resolver := &server.MemAccResolver{}
	for _, path := range o.Accounts {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		token := strings.TrimSpace(string(text))
		account, err := jwt.DecodeAccountClaims(token)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err := resolver.Store(account.Subject, token); err != nil {
			return nil, err
		}
		if account.Subject != operator.SystemAccount {
			accounts = append(accounts, account.Subject)
		}
	}
	opts.TrustedOperators, opts.AccountResolver = []*jwt.OperatorClaims{operator}, resolver
	opts.SystemAccount = operator.SystemAccount
	return accounts, nil
}

// tls reads the certificates of a server.
func (o *ServerOptions) tls(opts *server.Options) error {
	if o.Cert == "" {
		if o.CA != "" {
			return errors.New("--ca needs --cert")
		}
		return nil
	}
	config, err := server.GenTLSConfig(&server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Cert, CaFile: o.CA,
		Verify: o.CA != ""})
	if err != nil {
		return err
	}
	opts.TLS, opts.TLSConfig, opts.TLSVerify, opts.TLSTimeout = true, config, o.CA != "", 5
	return nil
}

// logger passes on what goes wrong in a server.
type logger struct {
	tell   func(string)
	fatal  chan string // why the server does not start
	broken chan string // why it stores nothing more
}

func (l *logger) say(format string, args []any) {
	text := fmt.Sprintf(format, args...)
	if l.tell != nil {
		l.tell(text)
	}
	if unwritten.MatchString(text) {
		select {
		case l.broken <- text:
		default:
		}
	}
}

// Fatalf is a method of server.Logger.
func (l *logger) Fatalf(format string, args ...any) {
	select {
	case l.fatal <- fmt.Sprintf(format, args...):
	default:
		l.say(format, args)
	}
}

// The other methods of server.Logger.
func (l *logger) Errorf(format string, args ...any) { l.say(format, args) }
func (l *logger) Warnf(format string, args ...any)  { l.say(format, args) }
func (*logger) Noticef(string, ...any)              {}
func (*logger) Debugf(string, ...any)               {}
func (*logger) Tracef(string, ...any)               {}
