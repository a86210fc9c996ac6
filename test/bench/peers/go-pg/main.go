// A straightforward server in Go: net/http, encoding/json, and a pgx pool of ten, which prepares each statement once per connection.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const milliseconds = "2006-01-02T15:04:05.000Z"

type comment struct {
	ID   int32  `json:"id"`
	Body string `json:"body"`
}

type news struct {
	ID       int32     `json:"id"`
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Created  string    `json:"created"`
	Comments []comment `json:"comments"`
}

type book struct {
	ID        int32   `json:"id"`
	Title     string  `json:"title"`
	Author    string  `json:"author"`
	Price     float64 `json:"price"`
	Published bool    `json:"published"`
	Created   string  `json:"created"`
}

type note struct {
	Text string `json:"text"`
}

type failure struct {
	Message string `json:"message"`
}

var pool *pgxpool.Pool

func main() {
	config, err := pgxpool.ParseConfig("")
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 10
	if pool, err = pgxpool.ConnectConfig(context.Background(), config); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/news/", serveNews)
	http.HandleFunc("/books", serveBooks)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func serveNews(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	id, err := strconv.Atoi(parts[2])
	if err != nil {
		send(w, 400, failure{"The id is not a number"})
		return
	}
	switch {
	case r.Method == "GET" && len(parts) == 3:
		one(w, r, id)
	case r.Method == "POST" && len(parts) == 4 && parts[3] == "notes":
		save(w, r, id, insertNote)
	case r.Method == "POST" && len(parts) == 4 && parts[3] == "orders":
		save(w, r, id, order)
	default:
		send(w, 404, failure{"Not found"})
	}
}

func one(w http.ResponseWriter, r *http.Request, id int) {
	var created time.Time
	n := news{Comments: []comment{}}
	err := pool.QueryRow(r.Context(), "SELECT id, title, body, created FROM news WHERE id = $1", id).
		Scan(&n.ID, &n.Title, &n.Body, &created)
	if errors.Is(err, pgx.ErrNoRows) {
		send(w, 404, failure{"No such news"})
		return
	}
	if err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	n.Created = created.UTC().Format(milliseconds)
	rows, err := pool.Query(r.Context(), "SELECT id, body FROM comment WHERE news_id = $1", n.ID)
	if err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	defer rows.Close()
	for rows.Next() {
		var c comment
		if err := rows.Scan(&c.ID, &c.Body); err != nil {
			send(w, 500, failure{err.Error()})
			return
		}
		n.Comments = append(n.Comments, c)
	}
	if err := rows.Err(); err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	send(w, 200, n)
}

func save(w http.ResponseWriter, r *http.Request, id int, change func(context.Context, int, string) error) {
	var body note
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		send(w, 400, failure{err.Error()})
		return
	}
	if err := change(r.Context(), id, body.Text); err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	send(w, 201, body)
}

func insertNote(ctx context.Context, id int, text string) error {
	_, err := pool.Exec(ctx, "INSERT INTO note (news_id, text) VALUES ($1, $2)", id, text)
	return err
}

func order(ctx context.Context, id int, text string) error {
	return pool.BeginFunc(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE stock SET ordered = ordered + 1 WHERE news_id = $1", id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "INSERT INTO ordered (news_id, text) VALUES ($1, $2)", id, text); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO note (news_id, text) VALUES ($1, $2)", id, text)
		return err
	})
}

func serveBooks(w http.ResponseWriter, r *http.Request) {
	rows, err := pool.Query(r.Context(), "SELECT id, title, author, price, published, created FROM book ORDER BY id")
	if err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	defer rows.Close()
	books := []book{}
	for rows.Next() {
		var b book
		var created time.Time
		if err := rows.Scan(&b.ID, &b.Title, &b.Author, &b.Price, &b.Published, &created); err != nil {
			send(w, 500, failure{err.Error()})
			return
		}
		b.Created = created.UTC().Format(milliseconds)
		books = append(books, b)
	}
	if err := rows.Err(); err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	send(w, 200, books)
}

func send(w http.ResponseWriter, status int, value interface{}) {
	text, err := json.Marshal(value)
	if err != nil {
		status, text = 500, []byte(`{"message":"The response is not JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text)
}
